"""Views that may take longer than 100 ms: their class says `is_slow`.

One thread of each process serves them in turn, beside the threads for everything else
(infrastructure/server/turns.py).
"""

import re

from django.urls import get_resolver

from marketplace.access import view_class_of
from marketplace.ratelimits.client_address import address_of

GROUP_NAME = re.compile(r"\(\?P<\w+>")


def slow_paths():
    """The pattern of their paths, without the first slash."""
    routes = get_resolver().reverse_dict.lists()
    patterns = [
        GROUP_NAME.sub("(", pattern)
        for view, matches in routes
        if is_slow(view)
        for _, pattern, *_ in matches
    ]
    return re.compile("|".join(patterns) or "(?!)")


def is_slow(view):
    return getattr(view_class_of(view), "is_slow", False)


def slow_client_of(paths):
    """A function of a request: the address of its client if its view is slow, or None."""

    def slow_client(path, client, forwarded):
        if not paths.match(path.removeprefix("/")):
            return None
        return address_of({"REMOTE_ADDR": client[0], "HTTP_X_FORWARDED_FOR": forwarded})

    return slow_client
