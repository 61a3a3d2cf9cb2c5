"""The ID of a request: in its response and in each log line that it writes."""

from contextvars import ContextVar
from random import getrandbits

HEADER = "X-Request-ID"
# That of the request which this thread serves; None between requests.
request_id = ContextVar("request_id", default=None)


def new_id():
    # Not from the system's source of randomness: asking it lets another thread go first, which
    # costs a cached list a tenth of its time. Nobody gains anything by guessing an ID.
    return f"{getrandbits(128):032x}"  # nosec B311


def current_request_id():
    """The ID of the request, which is a new one if it has not reached the application."""
    if request_id.get() is None:
        request_id.set(new_id())
    return request_id.get()


def end_request():
    request_id.set(None)
