#!/bin/sh
# Builds an image and fails where it runs as root, is too large or keeps a secret in its history.
set -eu
image=${1:?usage: check.sh IMAGE [MAX_MEGABYTES]}
limit=${2:-300}

user=$(docker run --rm --entrypoint id "$image" -u 2>/dev/null || echo unknown)
[ "$user" != 0 ] || { echo "$image runs as root" >&2; exit 1; }

size=$(($(docker image inspect --format '{{.Size}}' "$image") / 1000000))
[ "$size" -le "$limit" ] || { echo "$image has $size MB, more than $limit" >&2; exit 1; }

if docker history --no-trunc "$image" | grep -Eiq '(token|password|secret)='; then
    echo "$image has a secret in its history" >&2
    exit 1
fi
echo "$image: user $user, $size MB"
