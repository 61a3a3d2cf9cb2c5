"""The maximum sizes of a request. The web server uses them, so nothing of Django is imported."""

MAX_BODY = 64 * 1024  # bytes
MAX_UPLOAD = 34 * 1024**2  # bytes of a form in which staff upload files
MAX_FETCH = 2 * 1024**2  # bytes of a request of git, which names every file that it wants
LONG_BODIES = {"/admin/": MAX_UPLOAD, "/git/": MAX_FETCH}  # by the path that they are below
BROKEN_CHUNK = "The request body has a broken chunk"
HEAD_TOO_LARGE = "Request head is too large"
NO_ROOM = "Too many long requests at once. Try again in a few seconds."
TOO_LARGE = "Request body is too large"
TOO_SLOW = "The request was not complete in time"


def max_body(path):
    """The bytes that the body of a request to this path may have."""
    return next((size for start, size in LONG_BODIES.items() if path.startswith(start)), MAX_BODY)
