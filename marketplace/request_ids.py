"""The ID of a request: in its response and in each log line that it writes."""

import re
from contextvars import ContextVar
from random import getrandbits

from marketplace.secrets import mask

HEADER = "X-Request-ID"
ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
# That of the request which this thread serves; None between requests.
request_id = ContextVar("request_id", default=None)


def begin_request(environ):
    """The client's ID if it is acceptable, otherwise a new one."""
    sent = environ.get("HTTP_X_REQUEST_ID", "")
    # What may be a token in the wrong place is not repeated.
    chosen = sent if ACCEPTED.fullmatch(sent) and mask(sent) == sent else new_id()
    request_id.set(chosen)
    return chosen


def new_id():
    # Not from the system's source of randomness: asking it lets another thread go first, which
    # costs a cached list a tenth of its time. Nobody gains anything by guessing an ID.
    return f"{getrandbits(128):032x}"  # nosec B311


def end_request():
    request_id.set(None)


def current_request_id():
    """The ID of the request, which is a new one if it has not reached the application."""
    return request_id.get() or begin_request({})
