"""Files that clients download: whole, or the part in `Range`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO

from django.http import FileResponse, HttpResponse, HttpResponseNotModified
from django.utils.http import content_disposition_header

from infrastructure.http_cache.headers import is_not_modified
from infrastructure.http_cache.stored_files import open_stored
from marketplace.api.exceptions import RangeNotSatisfiable

MAX_IN_MEMORY = 64 * 1024  # bytes; a larger download is sent from a file
# Longer numbers are ignored, because Python refuses to parse more than 4,300 digits.
RANGE = re.compile(
    r"bytes=[ \t]*(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))[ \t]*", re.ASCII | re.IGNORECASE
)


class StoredFileResponse(FileResponse):
    block_size = 64 * 1024  # for a server that cannot send files by itself

    def set_headers(self, _file):
        """`Download` has set them."""


def stored_response(name, write, content_type):
    """The file that `write(file)` writes, identified by its name. Raises StoreUnavailable."""
    file = open_stored(name, None, write)
    headers = {"Content-Length": str(file.size), "Content-Type": content_type}
    return StoredFileResponse(file, headers=headers)


@dataclass(frozen=True)
class Download:
    """A file of `size` bytes, written by `write(file)` and identified by its digest."""

    digest: str
    size: int
    write: Callable
    filename: str
    content_type: str
    stored_as: str

    def response_to(self, request):
        """The whole file, the part in `Range`, or a 304."""
        etag = f'"{self.digest}"'
        if is_not_modified(request.META, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        part = requested_range(request.META, etag, self.size)
        if part is None:
            return self.respond(request, HTTPStatus.OK, range(self.size), {"ETag": etag})
        place = f"bytes {part.start}-{part.stop - 1}/{self.size}"
        headers = {"ETag": etag, "Content-Range": place}
        return self.respond(request, HTTPStatus.PARTIAL_CONTENT, part, headers)

    def respond(self, request, status, part, headers):
        headers |= {
            "Accept-Ranges": "bytes",
            "Content-Disposition": content_disposition_header(True, self.filename),  # noqa: FBT003
            "Content-Length": str(len(part)),
            "Content-Type": self.content_type,
        }
        if request.method == "HEAD":
            return HttpResponse(status=status, headers=headers)
        if self.size <= MAX_IN_MEMORY:
            output = BytesIO()
            self.write(output)
            content = output.getvalue()[part.start : part.stop]
            return HttpResponse(content, status=status, headers=headers)
        file = open_stored(self.stored_as, self.size, self.write)
        file.limit_to(part)
        return StoredFileResponse(file, status=status, headers=headers)


def requested_range(environ, etag, size):
    """The bytes in `Range`, as a range; None for all of them (RFC 9110, 13.1.5 and 14).

    Anything but a single range is ignored, and so is a range whose `If-Range` is not the ETag. A
    date never matches, because no response has a Last-Modified. Raises RangeNotSatisfiable.
    """
    match = RANGE.fullmatch(environ.get("HTTP_RANGE", ""))
    if (
        match is None
        or environ["REQUEST_METHOD"] != "GET"
        or environ.get("HTTP_IF_RANGE", etag) != etag
        or not size  # Some clients send a range with every request.
    ):
        return None
    first, last, suffix = match.groups()
    if suffix:
        part = range(size)[-int(suffix) :] if int(suffix) else range(0)
    else:
        part = range(size)[int(first) : int(last) + 1 if last else None]
        if last and int(last) < int(first):
            return None
    if not part:
        raise RangeNotSatisfiable(size)
    return part
