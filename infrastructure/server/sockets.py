import errno
import fcntl
import os
import socket
import struct
import termios
from collections import deque

from infrastructure.server.incoming import MAX_ARRIVED

USUAL = 4096  # bytes that most requests fit into
MAX_COLLECTED = 64 * 1024  # bytes of a response; copying more costs more than a system call


class UnsentBytes:
    """The part of a response that its client has not read yet."""

    def __init__(self, data, sent):
        self.left = memoryview(data)[sent:]
        self.memory = len(data)  # The view keeps all of it until the end.

    def send(self, link):
        sent = link.send(self.left)
        self.left = self.left[sent:]
        return sent

    def close(self):
        self.left = b""


class UnsentFile:
    """The part of a file that its client has not read yet. It takes a descriptor, no memory."""

    memory = 0

    def __init__(self, descriptor, offset, count):
        # The application closes its own descriptor.
        self.descriptor, self.offset, self.left = os.dup(descriptor), offset, count

    def send(self, link):
        sent = os.sendfile(link.fileno(), self.descriptor, self.offset, self.left)
        if not sent:
            raise ConnectionAbortedError("The file is shorter than its response")
        self.offset += sent
        self.left -= sent
        return sent

    def close(self):
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


class ClientSocket(socket.socket):
    """The socket of a connection. No thread ever waits for the client here.

    `sendall` and `sendfile` keep what the client is not ready to read, and `recv` returns only what
    has arrived. Head and body of a response are collected and sent in one system call.
    """

    wakes_at = 1
    collected = None
    queued = 0  # bytes that the kernel had for the client at the last call of `has_taken`

    @classmethod
    def of(cls, plain):
        family, kind, protocol = plain.family, plain.type, plain.proto
        client = cls(family, kind, protocol, plain.detach())
        socket.socket.setblocking(client, False)  # noqa: FBT003
        client.unsent = deque()
        return client

    def setblocking(self, _flag):
        """It never blocks, whatever gunicorn sets."""

    settimeout = setblocking

    def recv(self, size, flags=0):
        try:
            return super().recv(size, flags)
        except BlockingIOError:
            # Requests are read once they are whole, so missing bytes will not come.
            raise ConnectionResetError(errno.ECONNRESET, "The request is not whole") from None

    def recv_now(self, size, flags=0):
        """The bytes that have arrived: b"" if the client has closed, None if there are none."""
        try:
            return super().recv(size, flags)
        except BlockingIOError:
            return None

    def peek(self):
        """The bytes that have arrived, left in the socket."""
        data = self.recv_now(USUAL, socket.MSG_PEEK) or b""
        return data if len(data) < USUAL else super().recv(MAX_ARRIVED, socket.MSG_PEEK)

    def wake_at(self, size):
        """Become readable once so many bytes have arrived, or the client has ended."""
        if size != self.wakes_at:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            self.wakes_at = size

    def reset(self):
        """Let `close` drop what the client has not read, even from the kernel's memory."""
        self.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def discard(self):
        """Drop what has arrived; returns whether the client has closed."""
        return self.recv_now(MAX_ARRIVED) == b""

    def collect(self):
        """Keep what is sent from now on, until `send_collected` or until it is too much."""
        self.collected = b""

    def send_collected(self):
        collected, self.collected = self.collected, None
        if collected:
            self.sendall(collected)

    def shutdown(self, how):
        # gunicorn does so if the application fails after it has begun to respond.
        self.send_collected()
        super().shutdown(how)

    def close(self):
        for part in self.unsent:
            part.close()
        self.unsent.clear()
        super().close()

    def sendall(self, data, _flags=0):
        if self.collected is not None:
            if len(self.collected) + len(data) <= MAX_COLLECTED:
                self.collected += data
                return
            self.send_collected()
        sent = 0 if self.unsent else self.send_now(data)
        if sent < len(data):
            self.unsent.append(UnsentBytes(data, sent))

    def send_now(self, data):
        try:
            return self.send(data)
        except BlockingIOError:
            return 0

    def sendfile(self, file, offset=0, count=None):
        self.send_collected()
        self.unsent.append(UnsentFile(file.fileno(), offset, count))
        self.flush()

    def flush(self):
        """Continue sending; returns whether the client has read anything."""
        has_taken = False
        try:
            while self.unsent:
                part = self.unsent[0]
                has_taken |= part.send(self) > 0
                if not part.left:
                    part.close()
                    self.unsent.popleft()
        except BlockingIOError:
            pass
        return has_taken

    def has_taken(self):
        """Whether the client has read anything since the last call.

        The kernel reports a socket as writable only when much of its queue is gone, which may take
        a slow reader a minute.
        """
        before, (self.queued,) = (
            self.queued,
            struct.unpack("i", fcntl.ioctl(self.fileno(), termios.TIOCOUTQ, bytes(4))),
        )
        return self.queued < before

    @property
    def memory(self):
        """Bytes of memory that unsent responses take."""
        return sum(part.memory for part in [*self.unsent])
