"""The socket of a connection, between two ends of a pair."""

import os
import socket

import pytest

from infrastructure.server.sockets import MAX_COLLECTED, ClientSocket
from tests.processes import is_within


@pytest.fixture
def ends():
    """The server's end, as gunicorn's connection leaves it, and the client's."""
    server, client = socket.socketpair()
    server.setblocking(False)
    client.settimeout(5)
    with ClientSocket.of(server) as served, client:
        yield served, client


def test_a_response_goes_out_whole(ends):
    served, client = ends
    served.collect()
    served.sendall(b"head")
    client.setblocking(False)
    with pytest.raises(BlockingIOError):
        client.recv(1)
    served.sendall(b"body")
    served.send_collected()

    assert client.recv(100) == b"headbody"
    served.sendall(b"more")
    assert client.recv(100) == b"more"


def test_a_long_response_is_not_collected(ends):
    served, client = ends
    served.collect()
    served.sendall(b"head")
    served.sendall(b"x" * MAX_COLLECTED)

    assert client.recv(100).startswith(b"head")


def test_collected_bytes_are_sent_before_the_end(ends):
    served, client = ends
    served.collect()
    served.sendall(b"head")
    served.shutdown(socket.SHUT_WR)

    assert client.recv(100) == b"head"
    assert client.recv(100) == b""


def test_it_never_blocks(ends):
    served, _ = ends
    served.setblocking(True)
    served.settimeout(1)

    assert not os.get_blocking(served.fileno())
    assert served.recv_now(1) is None
    with pytest.raises(ConnectionResetError):
        served.recv(1)


def test_unsent_bytes_are_sent_later(ends):
    served, client = ends
    body = os.urandom(4 * 1024**2)
    served.sendall(body)
    received = client.recv(1024**2)
    served.sendall(b"next")
    assert served.memory > 2 * 1024**2

    while len(received) < len(body) + 4:
        served.flush()
        received += client.recv(1024**2)
    assert received == body + b"next"
    assert served.memory == 0


def test_a_file_that_has_become_shorter_ends_the_connection(ends, tmp_path):
    served, _ = ends
    path = tmp_path / "file"
    path.write_bytes(b"short")
    with path.open("rb") as file, pytest.raises(ConnectionAbortedError):
        served.sendfile(file, offset=0, count=6)


def test_it_is_seen_that_a_client_takes_little():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    with ClientSocket.of(server) as served, client:
        served.sendall(bytes(16 * 1024**2))
        served.has_taken()
        assert not served.has_taken()

        client.recv(1024**2, socket.MSG_WAITALL)
        assert is_within(60, served.has_taken)
        assert not served.has_taken()
