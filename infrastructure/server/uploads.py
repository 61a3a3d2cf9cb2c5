"""Long requests wait in a file, and hold neither memory nor a thread."""

import os
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from tempfile import TemporaryFile

PIECE = 64 * 1024  # bytes
PIECES = 16  # at a time, so that one fast client does not keep a thread from others

# Whether the application judges a head whose body has not arrived.
is_body_awaited = ContextVar("is_body_awaited", default=False)


class BodyAwaited(BaseException):
    """The application has accepted the head, and wants to read the body."""


def head_alone(head):
    """A request as the pieces of it that have arrived."""
    yield head
    raise BodyAwaited


class Upload:
    """A request in a file, until all of it has arrived."""

    def __init__(self, size):
        self.missing, self.stored, self.file = size, 0, TemporaryFile()  # noqa: SIM115

    def write(self, data):
        self.file.write(data)
        self.stored += len(data)
        self.missing -= len(data)

    def receive(self, sock):
        """Store some of the bytes that have arrived. Returns whether the client has closed."""
        for _ in range(PIECES):
            data = sock.recv_now(min(self.missing, PIECE)) if self.missing else None
            if not data:
                return data == b""
            self.write(data)
        return False

    def start(self, size):
        """The first bytes of the stored request."""
        return os.pread(self.file.fileno(), size, 0)

    def pieces(self):
        """The stored request, from the beginning."""
        self.file.seek(0)
        return iter(partial(self.file.read, PIECE), b"")

    def close(self):
        # Closing flushes again what a full disk refused.
        with suppress(OSError):
            self.file.close()
