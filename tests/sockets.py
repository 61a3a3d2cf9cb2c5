"""The kernel's view of the connections on this machine (Linux)."""

from pathlib import Path

LISTENING = "0A"
TIME_WAIT = "06"  # the server was the first to close this connection


def sockets_on(port):
    """`(other port, state, unread bytes, inode)` of each socket whose own end is this port."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, queues, _, _, _, _, inode, *_ = line.split()
        if local.endswith(f":{port:04X}"):
            yield int(remote[-4:], 16), state, int(queues.partition(":")[2], 16), int(inode)


def has_been_read(link):
    """Whether the server has read everything that was sent to it."""
    (_, own_port), (_, port) = link.getsockname(), link.getpeername()
    return any(
        other == own_port and unread == 0
        for other, state, unread, _ in sockets_on(port)
        if state != LISTENING
    )


def has_been_accepted(link):
    """Whether a process has accepted the connection, so that it is not in the backlog."""
    (_, own_port), (_, port) = link.getsockname(), link.getpeername()
    return any(other == own_port and inode for other, _, _, inode in sockets_on(port))


def has_no_connections(server):
    """Whether it has closed all connections."""
    return {state for _, state, *_ in sockets_on(server.port)} <= {LISTENING, TIME_WAIT}
