"""The bounds of a request, for the web server too; so nothing of Django is imported here."""

MAX_BODY = 64 * 1024  # bytes
TOO_SLOW = "The request was not complete in time"
