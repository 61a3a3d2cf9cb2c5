import time
from contextlib import suppress
from operator import attrgetter

from infrastructure.server.gunicorn_internals import BaseConnection
from infrastructure.server.incoming import Incoming, RequestRefused
from infrastructure.server.sockets import ClientSocket
from infrastructure.server.uploads import Upload

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
FIRST_SECONDS = 10  # for the first byte of a new connection to arrive


class ClientConnection(BaseConnection):
    """A connection, and how much of its next request has arrived."""

    deadline = None  # for its next event
    is_partial = False  # a request has begun
    on_event = None  # handles its next event
    upload = None
    stored = 0  # bytes of an incomplete request

    def __init__(self, plain):
        super().__init__(plain, ClientSocket.of(plain.sock))
        self.incoming = Incoming(self.cfg, self.client)

    def is_whole(self):
        try:
            return not self.incoming.missing(self.read_ahead() + self.sock.peek())
        except RequestRefused:
            return False

    def tell_to_continue(self):
        if self.incoming.expects_continue:
            self.incoming.expects_continue = False
            self.sock.sendall(CONTINUE)

    def store_body(self, size):
        """Take the bytes of a body out of the socket if they might not fit."""
        self.stored = self.add_read_ahead(self.sock.recv_now(size) or b"")

    def store_upload(self):
        """Store some of the bytes that have arrived. Returns whether the client has closed."""
        if self.upload is None:
            self.upload = Upload(self.incoming.size)
            self.upload.write(self.read_ahead())
            self.sock.wake_at(1)
        has_ended = self.upload.receive(self.sock)
        self.stored = self.upload.stored
        if not self.upload.missing:
            self.read_from(self.upload.pieces())
        return has_ended

    def end_request(self):
        """Prepare for the next request."""
        self.is_partial, self.stored = False, 0
        self.incoming = Incoming(self.cfg, self.client)
        if self.upload is not None:
            self.upload.close()
            self.upload = None

    def close(self):
        self.end_request()
        with suppress(OSError):
            self.sock.close()


class ParkedConnections(dict):
    """Connections that wait for their clients, by descriptor, the longest wait first.

    The thread that pops a connection owns it. Other threads only read it.
    """

    def idlest(self):
        """The connection to close first: silent for a second or more, otherwise the longest wait.

        The newest connection is never chosen.
        """
        conns = [*self.items()][:-1]
        is_late = time.monotonic() + FIRST_SECONDS - 1
        silent = [item for item in conns if item[1].is_unread and item[1].deadline < is_late]
        return (silent or conns)[:1]

    def largest_beyond(self, conn, bound):
        """The largest of the requests stored like this one, if they exceed the limit together."""
        kind = type(conn.upload)
        rivals = [conn, *(other for other in [*self.values()] if type(other.upload) is kind)]
        if sum(rival.stored for rival in rivals) <= bound:
            return None
        return max(rivals, key=attrgetter("stored"))

    def beyond(self, memory):
        """Connections to close so that the rest fit into memory, the most stalled first."""
        conns = [conn for conn in [*self.values()] if conn.sock.memory and conn.deadline]
        excess = sum(conn.sock.memory for conn in conns) - memory
        for conn in sorted(conns, key=attrgetter("deadline")):
            if excess <= 0:
                return
            excess -= conn.sock.memory
            yield conn
