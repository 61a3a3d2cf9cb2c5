"""The socket of a connection, between two ends of a pair."""

import os
import socket

import pytest

from marketplace.server.sockets import MAX_COLLECTED, ClientSocket


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


def test_what_has_been_collected_goes_out_before_the_end(ends):
    served, client = ends
    served.collect()
    served.sendall(b"head")
    served.shutdown(socket.SHUT_WR)

    assert client.recv(100) == b"head"
    assert client.recv(100) == b""


def test_the_kernel_knows_how_long_it_waits(ends):
    served, _ = ends
    assert os.get_blocking(served.fileno())
    served.settimeout(1)
    assert not os.get_blocking(served.fileno())
    served.setblocking(True)
    served.setblocking(True)
    assert os.get_blocking(served.fileno())
