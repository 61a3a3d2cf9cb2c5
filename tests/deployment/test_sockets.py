"""The socket of a connection, between two ends of a pair."""

import os
import socket

import pytest

from marketplace.server.sockets import ClientSocket


@pytest.fixture
def ends():
    """The server's end, as gunicorn's connection leaves it, and the client's."""
    server, client = socket.socketpair()
    server.setblocking(False)
    with ClientSocket.of(server) as served, client:
        yield served, client


def test_a_response_goes_out_whole_once_the_request_is_served(ends):
    served, client = ends
    with served.serving():
        served.sendall(b"head")
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        served.sendall(b"body")

    assert client.recv(100) == b"headbody"
    served.sendall(b"more")
    assert client.recv(100) == b"more"


def test_the_kernel_knows_how_long_it_waits(ends):
    served, _ = ends
    assert os.get_blocking(served.fileno())
    served.settimeout(1)
    assert not os.get_blocking(served.fileno())
    served.setblocking(True)
    served.setblocking(True)
    assert os.get_blocking(served.fileno())
