"""The maximum sizes of a request. The web server uses them, so nothing of Django is imported."""

MAX_BODY = 64 * 1024  # bytes
MAX_UPLOAD = 34 * 1024**2  # bytes of a form in which staff upload files
UPLOAD_PATH = "/admin/"  # below it, forms may be longer than MAX_BODY
BROKEN_CHUNK = "The request body has a broken chunk"
HEAD_TOO_LARGE = "Request head is too large"
NO_ROOM = "Too many long requests at once. Try again in a few seconds."
TOO_LARGE = "Request body is too large"
TOO_SLOW = "The request was not complete in time"
