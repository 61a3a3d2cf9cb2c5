"""Small WSGI applications, for tests of the server alone."""

import time
from pathlib import Path
from urllib.parse import unquote


def minimal(environ, start_response):
    """Read the whole body; if the query names a file, wait until it exists."""
    environ["wsgi.input"].read()
    while environ["QUERY_STRING"] and not Path(unquote(environ["QUERY_STRING"])).exists():
        time.sleep(0.02)
    status = "201 Created" if environ["REQUEST_METHOD"] == "POST" else "200 OK"
    start_response(status, [("Content-Length", "2")])
    return [b"{}"]


def echo(environ, start_response):
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def failing(environ, start_response):
    """Exit, or fail in the middle of the response, on the paths with these names."""
    path = environ["PATH_INFO"]
    if path == "/exits":
        raise SystemExit(1)
    start_response("200 OK", [("Content-Length", "2")])
    return body(path)


def body(path):
    yield b"1"
    if path == "/fails-in-the-middle":
        raise ValueError
    yield b"2"


LARGE = 20 * 1024**2


class Body(bytes):
    """A response that knows how many of its kind are in memory."""

    held = 0

    def __init__(self, _):
        Body.held += 1

    def __del__(self):
        Body.held -= 1


def large(environ, start_response):
    """More than the kernel accepts for a client that reads nothing; at `/`, how many are held."""
    body = b"%02d" % Body.held if environ["PATH_INFO"] == "/" else Body(b"x" * LARGE)
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
