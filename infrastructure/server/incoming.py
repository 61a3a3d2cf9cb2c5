"""How much of a request has arrived. gunicorn parses it once it is whole."""

import re
from http import HTTPStatus

from infrastructure.server.gunicorn_internals import CHUNK_EXTENSIONS, framing_of
from infrastructure.server.sizes import (
    BROKEN_CHUNK,
    HEAD_TOO_LARGE,
    MAX_BODY,
    TOO_LARGE,
    is_submission,
    max_body,
)
from infrastructure.server.turns import path_and_forwarded

MAX_HEAD = 64 * 1024
MAX_CHUNKED = 2 * MAX_BODY  # bytes of a chunked body, including the framing of its chunks
MAX_ARRIVED = MAX_HEAD + MAX_CHUNKED
MAX_CHUNKS = 4096
MAX_CHUNK_LINE = 8190  # bytes; gunicorn refuses a longer one
END_OF_LINE = b"\r\n"
END_OF_HEAD = b"\r\n\r\n"
END_OF_CHUNKS = b"0\r\n\r\n"
# Without one of these names there is no body.
FRAMED = re.compile(rb"content-length|transfer-encoding", re.IGNORECASE)
CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]+)" + CHUNK_EXTENSIONS)
START_OF_CHUNK_LINE = re.compile(rb"(?:[0-9A-Fa-f]+(?:\r|[ \t]+|[ \t]*;[\t -~\x80-\xff]*\r?)?)?")


class RequestRefused(Exception):
    """Has the status and the text of the response."""


class Incoming:
    """A request that arrives in parts. Its bytes stay in the socket.

    gunicorn's rules decide where the body ends. A head that gunicorn refuses counts as a whole
    request, so that nobody waits for a body that nobody reads.
    """

    size = None  # bytes of head and body, if the head states the length
    is_upload = False  # longer than MAX_BODY, and accepted
    is_unjudged = False  # an upload whose head the application has to accept first
    expects_continue = False  # the client sends the body after a 100

    def __init__(self, cfg, client):
        self.cfg, self.client = cfg, client
        self.place = 0  # up to which the bytes were examined
        self.body = 0  # where the body begins
        self.payload = self.chunks = 0  # bytes in the chunks so far, and their number

    def missing(self, data):
        """How many bytes are still missing, at least. Raises RequestRefused.

        A body that the application refuses unread counts as whole.
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
                raise RequestRefused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, HEAD_TOO_LARGE)
            self.place = max(len(data) - len(END_OF_HEAD) + 1, 0)
            return False
        self.place = self.size = self.body = end + len(END_OF_HEAD)
        if FRAMED.search(data, 0, end):
            self.read_framing(data)
        return True

    def read_framing(self, data):
        length, is_chunked, expects = framing_of(data[: self.body], self.cfg, self.client)
        if is_chunked:
            self.size = None
        else:
            path, _ = path_and_forwarded(data[: self.body])
            is_accepted = length <= max_body(path)
            self.is_upload = is_accepted and length > MAX_BODY
            self.is_unjudged = self.is_upload and is_submission(path)
            self.size += length if is_accepted else 0
        self.expects_continue = expects and self.size != self.body

    def follow_chunks(self, data):
        while self.has_line_end_before(data) and (end := data.find(END_OF_LINE, self.place)) >= 0:
            line = CHUNK_LINE.fullmatch(data, self.place, end)
            if line is None:
                raise RequestRefused(HTTPStatus.BAD_REQUEST, BROKEN_CHUNK)
            self.chunks += 1
            length = int(line[1], 16)
            if not length:
                return self.follow_trailers(data, end)
            self.payload += length
            self.place = end + len(END_OF_LINE) + length + len(END_OF_LINE)
            if self.chunks > MAX_CHUNKS:  # gunicorn copies all of the rest for each
                raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
            if self.payload > MAX_BODY:
                # The application reads one byte more than it accepts.
                self.size = self.place - len(END_OF_LINE) - (self.payload - MAX_BODY - 1)
                return max(self.size - len(data), 0)
        is_broken = not START_OF_CHUNK_LINE.fullmatch(data, self.place)
        if is_broken or not self.has_line_end_before(data):
            raise RequestRefused(HTTPStatus.BAD_REQUEST, BROKEN_CHUNK)
        if len(data) - self.place > MAX_CHUNK_LINE:
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
        return self.missing_chunks(data)

    def has_line_end_before(self, data):
        """Whether the last chunk ends as it must, as far as its end has arrived."""
        return not self.payload or END_OF_LINE.startswith(data[self.place - 2 : self.place])

    def follow_trailers(self, data, start):
        if data.find(END_OF_HEAD, start) >= 0:
            return 0
        if data.count(b"\n", start) != data.count(END_OF_LINE, start):
            raise RequestRefused(HTTPStatus.BAD_REQUEST, BROKEN_CHUNK)
        return self.missing_chunks(data)

    def missing_chunks(self, data):
        if len(data) >= MAX_ARRIVED:
            # It consists of more framing than content.
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
        return max(self.place + len(END_OF_CHUNKS) - len(data), 1)
