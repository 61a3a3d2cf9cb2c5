"""Slow requests take turns, so that they never keep the others waiting."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from urllib.parse import unquote_to_bytes

MAX_WAITING = 100  # requests, each with at most 64 KiB in memory
PATH = re.compile(rb"(?:\r\n)?[^ ]+ (?:[a-zA-Z][a-zA-Z0-9+.-]*://[^/ ]*)?([^ ?#]*)")
FORWARDED = re.compile(rb"\r\nx-forwarded-for:[ \t]*([^\r]*)", re.IGNORECASE)


class Turns:
    """The slow requests of a process. One thread serves them, one after the other.

    Each client has one place in the queue, however many requests it sends: its next one waits until
    every other client had a turn. If too many are waiting, the client with the most loses one.
    """

    def __init__(self, places):
        self.places = min(MAX_WAITING, places)
        self.thread = ThreadPoolExecutor(1)  # starts with the first request
        self.waiting = {}  # requests by client, in the order of their turns
        self.lock = Lock()

    def add(self, client, serve, refuse):
        """Call `serve()` in its turn, or `refuse()` if there is no room."""
        with self.lock:
            self.waiting.setdefault(client, []).append((serve, refuse))
            is_full = sum(map(len, self.waiting.values())) > self.places
            _, refuse = self.newest_of_busiest(client) if is_full else (None, None)
        if is_full:
            refuse()
        else:
            self.thread.submit(self.serve_next)

    def newest_of_busiest(self, client):
        """Take out a request of whoever has the most; of several, of this client."""
        busiest = max(self.waiting, key=lambda one: (len(self.waiting[one]), one == client))
        return self.take(busiest, -1)

    def serve_next(self):
        with self.lock:
            client = next(iter(self.waiting))
            serve, _ = self.take(client, 0)
            if client in self.waiting:  # behind the others
                self.waiting[client] = self.waiting.pop(client)
        serve()

    def take(self, client, place):
        requests = self.waiting[client]
        request = requests.pop(place)
        if not requests:
            del self.waiting[client]
        return request

    def close(self):
        self.thread.shutdown(wait=False, cancel_futures=True)


def path_and_forwarded(head):
    """The path as Django decodes it, and X-Forwarded-For, both as text."""
    path, forwarded = PATH.match(head), FORWARDED.findall(head)
    return (
        unquote_to_bytes(path[1] if path else b"").decode(errors="replace"),
        b",".join(forwarded).decode("latin-1"),
    )
