import os
import time
from operator import attrgetter

from gunicorn.http.parser import RequestParser
from gunicorn.workers.gthread import TConn

from marketplace.server.incoming import Incoming, TooLarge
from marketplace.server.sockets import ClientSocket
from marketplace.server.uploads import Upload

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
FIRST_SECONDS = 10  # in which the first byte of a new connection must have come


class Connection(TConn):
    """gunicorn's connection, with what has come of its next request."""

    is_partial = False  # a request has begun
    on_event = None  # what its next event is for
    upload = None
    stored = 0  # bytes of a request that is not whole

    def __init__(self, plain):
        super().__init__(plain.cfg, ClientSocket.of(plain.sock), plain.client, plain.server)
        self.data_ready = True  # gunicorn need not wait for data
        self.incoming = Incoming()

    def read_ahead(self):
        """What was read beyond the last request; the socket does not report it as readable."""
        return b"" if self.parser is None else self.parser.unreader.buf.getvalue()

    def is_whole(self):
        try:
            return not self.incoming.missing(self.read_ahead() + self.sock.peek())
        except TooLarge:
            return False

    def tell_to_continue(self):
        if self.incoming.expects_continue:
            self.incoming.expects_continue = False
            self.sock.sendall(CONTINUE)

    def store_body(self, size):
        """Read what has come of a body for which the kernel may lack, or lacks, room."""
        self.init()
        buffer = self.parser.unreader.buf
        buffer.seek(0, os.SEEK_END)
        buffer.write(self.sock.recv_now(size) or b"")
        self.stored = buffer.tell()

    def store_upload(self):
        """Store some of what has come; whether the client has ended."""
        if self.upload is None:
            self.upload = Upload(self.incoming.size)
            if self.parser is not None:
                self.upload.write(self.parser.unreader.take_buffered())
            self.sock.wake_at(1)
        has_ended = self.upload.receive(self.sock)
        self.stored = self.upload.stored
        if not self.upload.missing:
            self.parser = RequestParser(self.cfg, self.upload.pieces(), self.client)
        return has_ended

    def end_request(self):
        """Make ready for the next one."""
        self.is_partial, self.stored, self.incoming = False, 0, Incoming()
        if self.upload is not None:
            self.upload.close()
            self.upload = None

    def close(self, graceful=False):  # noqa: FBT002
        self.end_request()
        super().close(graceful)


class ParkedConnections(dict):
    """Those that wait for their clients, by descriptor, the one that waits for longest first.

    Popping a connection transfers its ownership to the popping thread. The others are only read.
    """

    def idlest(self):
        """One that has sent nothing for a second and more, or else the one that waits for longest.

        Never the newest.
        """
        conns = [*self.items()][:-1]
        is_late = time.monotonic() + FIRST_SECONDS - 1
        silent = [each for each in conns if each[1].parser is None and each[1].timeout < is_late]
        return (silent or conns)[:1]

    def largest_beyond(self, conn, bound):
        """Of the requests that are stored as this one is, the largest if all exceed the bound."""
        kind = type(conn.upload)
        rivals = [conn, *(other for other in [*self.values()] if type(other.upload) is kind)]
        if sum(rival.stored for rival in rivals) <= bound:
            return None
        return max(rivals, key=attrgetter("stored"))

    def beyond(self, memory):
        """Those whose clients have taken nothing for longest, so that the others fit into it."""
        conns = [conn for conn in [*self.values()] if conn.sock.memory and conn.timeout]
        excess = sum(conn.sock.memory for conn in conns) - memory
        for conn in sorted(conns, key=attrgetter("timeout")):
            if excess <= 0:
                return
            excess -= conn.sock.memory
            yield conn
