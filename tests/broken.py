"""An application that does what ours does not: to see that its server survives it."""


def application(environ, start_response):
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
