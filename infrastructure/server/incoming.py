"""How much of a request has arrived, from its bytes alone. gunicorn parses it once it is whole."""

import re
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

from infrastructure.server.sizes import (
    HEAD_TOO_LARGE,
    MAX_BODY,
    MAX_UPLOAD,
    SLOW_PATH,
    TOO_LARGE,
    UPLOAD_PATH,
)

MAX_HEAD = 64 * 1024
MAX_CHUNKED = 2 * MAX_BODY  # bytes of a chunked body, including the framing of its chunks
MAX_ARRIVED = MAX_HEAD + MAX_CHUNKED
MAX_CHUNK_LINE = 8190  # bytes; gunicorn refuses a longer one
END_OF_LINE = b"\r\n"
END_OF_HEAD = b"\r\n\r\n"
END_OF_CHUNKS = b"0\r\n\r\n"
FRAMING = re.compile(
    rb"\r\n(?:content-length:([^\r]*)|transfer-encoding:([^\r]*)|(expect:[^\r]*))", re.IGNORECASE
)
HTTP_1_1 = re.compile(rb"HTTP/1\.[1-9]$")  # or a later 1.x, which gunicorn accepts
EXPECTS_CONTINUE = re.compile(rb"expect:[ \t]*100-continue[ \t]*", re.IGNORECASE)
UPLOAD = re.compile(rb"(?:\r\n)?POST " + UPLOAD_PATH.encode())
TARGET = re.compile(rb"(?:\r\n)?[^ ]+ (?:[a-zA-Z]+://[^/ ]*)?([^ ]*)")
CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]+)[ \t]*(?:;.*)?", re.DOTALL)


class TooLarge(Exception):
    """Has the status and the text of the response."""


class Incoming:
    """A request that arrives in parts. Its bytes stay in the socket."""

    size = None  # bytes of head and body, if the head states the length
    is_upload = False  # by staff: longer than other bodies
    is_slow = False  # may take seconds to respond to
    expects_continue = False  # the client sends the body after a 100

    def __init__(self):
        self.place = 0  # up to which the bytes were examined
        self.body = 0  # where the body begins
        self.payload = 0  # bytes in the chunks so far

    def missing(self, data):
        """How many bytes are still missing, at least. Raises TooLarge.

        A body that the application refuses unread counts as whole, and so does one that gunicorn
        refuses.
        """
        if not self.body and not self.read_head(data):
            return 1
        if self.size is None:
            return self.follow_chunks(data)
        return max(self.size - len(data), 0)

    @property
    def is_chunked(self):
        """Whether its length is known only at its end."""
        return self.body and self.size is None

    def read_head(self, data):
        """Find the end of the head, and the length of the body in the head."""
        end = data.find(END_OF_HEAD, self.place)
        if end < 0:
            if len(data) >= MAX_HEAD:
                raise TooLarge(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, HEAD_TOO_LARGE)
            self.place = max(len(data) - len(END_OF_HEAD) + 1, 0)
            return False
        self.place = self.body = end + len(END_OF_HEAD)
        target = TARGET.match(data)
        # Django decodes the path before it looks for the view.
        self.is_slow = bool(target) and unquote_to_bytes(target[1]).startswith(SLOW_PATH.encode())
        # After the request line, which one empty line may precede (RFC 9112, 2.2).
        start = len(END_OF_LINE) if data.startswith(END_OF_LINE) else 0
        fields = FRAMING.findall(data, start, end)
        if fields:
            line = data[start : data.find(END_OF_LINE, start)]
            self.read_framing(fields, is_new=bool(HTTP_1_1.search(line)), data=data)
        else:
            self.size = self.body
        return True

    def read_framing(self, fields, *, is_new, data):
        lengths, codings, expectations = (
            [text for text in map(bytes.strip, texts) if text]
            for texts in zip(*fields, strict=True)
        )
        is_refused = not all(map(bytes.isdigit, lengths)) or not all(
            map(EXPECTS_CONTINUE.fullmatch, expectations)
        )
        if is_refused:
            self.size = self.body
        elif codings:
            # gunicorn refuses it with a length, with another coding, or over HTTP/1.0.
            is_chunked = any(b"chunked" in coding.lower() for coding in codings)
            self.size = None if is_new and is_chunked and not lengths else self.body
        else:
            length = max((int(length[:18]) for length in lengths), default=0)
            self.is_upload = MAX_BODY < length <= MAX_UPLOAD and bool(UPLOAD.match(data))
            self.size = self.body + (length if length <= MAX_BODY or self.is_upload else 0)
        self.expects_continue = is_new and bool(expectations) and self.size != self.body

    def follow_chunks(self, data):
        while (end := data.find(END_OF_LINE, self.place)) >= 0:
            line = CHUNK_LINE.fullmatch(data, self.place, end)
            if line is None:
                return 0  # gunicorn refuses it
            length = int(line[1], 16)
            if not length:
                if data.find(END_OF_HEAD, end) >= 0:  # also the end of trailers
                    return 0
                break
            self.payload += length
            self.place = end + len(END_OF_LINE) + length + len(END_OF_LINE)
            if self.payload > MAX_BODY:
                # The application reads one byte more than it accepts.
                self.size = self.place - len(END_OF_LINE) - (self.payload - MAX_BODY - 1)
                return max(self.size - len(data), 0)
        if len(data) - self.place > MAX_CHUNK_LINE or len(data) >= MAX_ARRIVED:
            # It consists of more framing than content.
            raise TooLarge(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
        return max(self.place + len(END_OF_CHUNKS) - len(data), 1)
