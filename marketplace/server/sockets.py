import socket
import struct

from marketplace.server.incoming import MAX_REQUEST

NOW = socket.MSG_DONTWAIT
PEEK = socket.MSG_PEEK | NOW
USUAL = 4096  # bytes that most requests fit into
MAX_COLLECTED = 64 * 1024  # bytes of a response; to copy more costs more than a system call


class ClientSocket(socket.socket):
    """The socket of a connection. `sendall` keeps what the client is not ready to take.

    Head and body of a response are collected, and take one system call.
    """

    unsent = b""
    wakes_at = 1
    collected = None

    @classmethod
    def of(cls, plain):
        family, kind, protocol = plain.family, plain.type, plain.proto
        client = cls(family, kind, protocol, plain.detach())
        # Python assumes that it blocks.
        socket.socket.setblocking(client, True)  # noqa: FBT003
        return client

    def setblocking(self, flag):
        self.settimeout(None if flag else 0.0)

    def settimeout(self, value):
        # gunicorn often sets what is set already, and each time would be a system call.
        if value != self.gettimeout():
            super().settimeout(value)

    def peek(self):
        """What has arrived of a request, without reading it."""
        try:
            data = self.recv(USUAL, PEEK)
            return data if len(data) < USUAL else self.recv(MAX_REQUEST, PEEK)
        except BlockingIOError:
            return b""

    def wake_at(self, size):
        """Be readable once so many bytes have arrived, or the client has ended."""
        if size != self.wakes_at:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            self.wakes_at = size

    def reset(self):
        """Have `close` drop what the client has not taken, also from the kernel's memory."""
        self.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def discard(self):
        """Drop what has arrived; whether the client has closed."""
        try:
            return not self.recv(MAX_REQUEST, NOW)
        except BlockingIOError:
            return False

    def collect(self):
        """Keep what is sent from here on, until `send_collected` or until it is much."""
        self.collected = b""

    def send_collected(self):
        collected, self.collected = self.collected, None
        if collected:
            self.sendall(collected)

    def shutdown(self, how):
        # gunicorn does so where the application fails after it has begun to respond.
        self.send_collected()
        super().shutdown(how)

    def sendall(self, data, _flags=0):
        if self.collected is not None:
            if len(self.collected) + len(data) <= MAX_COLLECTED:
                self.collected += data
                return
            self.send_collected()
        if self.unsent:
            self.unsent = b"".join((self.unsent, data))
            return
        sent = self.send_now(data)
        if sent < len(data):
            self.unsent = memoryview(data)[sent:]

    def sendfile(self, file, offset=0, count=None):
        """Send from memory: the kernel would wait for the client, and hold the thread."""
        file.seek(offset)
        self.sendall(file.read(count))

    def flush(self):
        """Send on; whether the client has taken anything."""
        sent = self.send_now(self.unsent)
        # An empty view would keep all that it was a view of.
        self.unsent = self.unsent[sent:] or b""
        return sent > 0

    def send_now(self, data):
        try:
            return self.send(data, NOW)
        except BlockingIOError:
            return 0
