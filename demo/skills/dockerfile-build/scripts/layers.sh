#!/bin/sh
# The layers of an image, largest first.
docker history --format '{{.Size}}\t{{.CreatedBy}}' "${1:?usage: layers.sh IMAGE}" | sort -hr | cut -c 1-120
