"""Long requests of staff, which wait in a file and not in memory, nor in a thread."""

from contextlib import suppress
from functools import partial
from tempfile import TemporaryFile

PIECE = 64 * 1024  # bytes
PIECES = 16  # at a time, so that one fast client does not keep a thread from others


class Upload:
    """A request in a file, until all of it has come."""

    def __init__(self, size):
        self.missing, self.stored, self.file = size, 0, TemporaryFile()  # noqa: SIM115

    def write(self, data):
        self.file.write(data)
        self.stored += len(data)
        self.missing -= len(data)

    def receive(self, sock):
        """Store some of what has arrived; whether the client has ended."""
        for _ in range(PIECES):
            data = sock.recv_now(min(self.missing, PIECE)) if self.missing else None
            if not data:
                return data == b""
            self.write(data)
        return False

    def pieces(self):
        """What has come, from its beginning."""
        self.file.seek(0)
        return iter(partial(self.file.read, PIECE), b"")

    def close(self):
        # What a full disk has not taken is written once more here.
        with suppress(OSError):
            self.file.close()
