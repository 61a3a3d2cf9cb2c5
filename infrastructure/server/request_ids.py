"""The ID of a request, in its response and in each of its log lines."""

from contextvars import ContextVar
from random import getrandbits

HEADER = "X-Request-ID"
# The request that this thread serves; None between requests.
request_id = ContextVar("request_id", default=None)


def new_id():
    # Not from the system's source of randomness: that call lets another thread run first, which
    # costs a cached list a tenth of its time. Guessing an ID gains nothing.
    return f"{getrandbits(128):032x}"  # nosec B311


def current_request_id():
    """The ID of the request; a new one if the request has not reached the application."""
    if request_id.get() is None:
        request_id.set(new_id())
    return request_id.get()


def end_request():
    request_id.set(None)
