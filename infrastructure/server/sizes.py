"""The maximum sizes of a request, for the web server and the application."""

import re

MAX_BODY = 64 * 1024  # bytes
MAX_UPLOAD = 34 * 1024**2  # bytes of a form in which staff upload files
MAX_SUBMISSION = 10 * 1024**2  # bytes of a zip that an agent submits
MAX_FETCH = 2 * 1024**2  # bytes of a request of git, which names every file that it wants
LONG_BODIES = {"/admin/": MAX_UPLOAD, "/git/": MAX_FETCH}  # by the path that they are below
SUBMISSIONS = re.compile(r"/api/v1/agents/me/submissions/?")
BROKEN_CHUNK = "The request body has a broken chunk"
HEAD_TOO_LARGE = "Request head is too large"
NO_ROOM = "Too many long requests at once. Try again in a few seconds."
TOO_LARGE = "Request body is too large"
TOO_SLOW = "The request was not complete in time"


def is_submission(path):
    """Whether the application has to accept the head before a long body is read."""
    return SUBMISSIONS.fullmatch(path) is not None


def max_body(path):
    """The bytes that the body of a request to this path may have."""
    if is_submission(path):
        return MAX_SUBMISSION
    return next((size for start, size in LONG_BODIES.items() if path.startswith(start)), MAX_BODY)
