"""An application that starts at once: to see what its server does by itself."""


def application(environ, start_response):
    """Reads the whole body, as ours does, so that a slow one keeps a thread."""
    environ["wsgi.input"].read()
    status = "201 Created" if environ["REQUEST_METHOD"] == "POST" else "200 OK"
    start_response(status, [("Content-Length", "2")])
    return [b"{}"]
