"""How much of a request has arrived, from its bytes alone. gunicorn parses it once it is whole."""

import re

from marketplace.api.limits import MAX_BODY

MAX_HEAD = 64 * 1024
MAX_REQUEST = MAX_HEAD + MAX_BODY
END_OF_HEAD = b"\r\n\r\n"
# Where the body ends; a client that expects a 100 sends it only after one.
BODY = re.compile(
    rb"\r\n(?:content-length:[ \t]*(\d+)|(?:transfer-encoding|expect):)", re.IGNORECASE
)


class HeadTooLarge(Exception):
    pass


class NotAwaited(Exception):
    """The body is longer than any of the API's, or tells its length only as it comes."""


def missing_bytes(data):
    """How many bytes of the request that begins here are still to come, at least.

    Raises HeadTooLarge or NotAwaited.
    """
    end = data.find(END_OF_HEAD)
    if end < 0:
        if len(data) >= MAX_HEAD:
            raise HeadTooLarge("max buffer headers")
        return 1
    body = 0
    # Behind the request line, which one empty line may precede (RFC 9112, 2.2).
    start = len(b"\r\n") if data.startswith(b"\r\n") else 0
    for field in BODY.finditer(data, start, end):
        body = max(body, int(field[1])) if field[1] and len(field[1]) < 18 else MAX_REQUEST
    if body > MAX_BODY:
        raise NotAwaited
    return max(end + len(END_OF_HEAD) + body - len(data), 0)


def is_whole(data):
    try:
        return not missing_bytes(data)
    except (HeadTooLarge, NotAwaited):
        return False
