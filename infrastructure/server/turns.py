"""Slow requests take turns, so that they never keep the others waiting."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from urllib.parse import unquote_to_bytes

MAX_WAITING = 100  # requests, each with a body of 64 KiB at most
PATH = re.compile(rb"(?:\r\n)?[^ ]+ (?:[a-zA-Z]+://[^/ ]*)?([^ ?#]*)")
FORWARDED = re.compile(rb"\r\nx-forwarded-for:[ \t]*([^\r]*)", re.IGNORECASE)


class Turns:
    """The slow requests of a process. One thread serves them, one after the other.

    Each client has one place in the queue, however many requests it sends: its next one waits until
    every other client had a turn.
    """

    def __init__(self, places):
        self.places = min(MAX_WAITING, places)
        self.thread = ThreadPoolExecutor(1)  # starts with the first request
        self.waiting = {}  # by client, in the order of their turns
        self.lock = Lock()

    def add(self, client, request):
        """Call `request()` in its turn. Returns False if too many are waiting."""
        with self.lock:
            if sum(map(len, self.waiting.values())) >= self.places:
                return False
            self.waiting.setdefault(client, []).append(request)
        self.thread.submit(self.serve_next)
        return True

    def serve_next(self):
        with self.lock:
            client, requests = next(iter(self.waiting.items()))
            del self.waiting[client]
            request, *rest = requests
            if rest:
                self.waiting[client] = rest
        request()

    def close(self):
        self.thread.shutdown(wait=False, cancel_futures=True)


def path_and_forwarded(head):
    """The path as Django decodes it, and X-Forwarded-For, both as text."""
    path, forwarded = PATH.match(head), FORWARDED.findall(head)
    return (
        unquote_to_bytes(path[1] if path else b"").decode(errors="replace"),
        b",".join(forwarded).decode("latin-1"),
    )
