"""Requests as gunicorn's parser reads them."""

from gunicorn.config import Config
from gunicorn.http import message
from gunicorn.http.unreader import Unreader

GET = b"GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
PEER = "127.0.0.1", 1


def parsed(data, kind=message.Request):
    return kind(Config(), SimpleUnreader(data), PEER)


class SimpleUnreader(Unreader):
    def __init__(self, data):
        super().__init__()
        self.data = [data]

    def chunk(self, _size_hint=None):
        return self.data.pop() if self.data else b""
