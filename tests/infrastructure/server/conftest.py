import socket

import pytest


class Socket(socket.socket):
    def send_collected(self):
        pass


@pytest.fixture
def ends():
    server, client = socket.socketpair()
    with Socket(fileno=server.detach()) as served, client:
        client.settimeout(5)
        yield served, client
