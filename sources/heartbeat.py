from contextlib import suppress
from threading import Event, Thread
from time import monotonic

from django.db import DatabaseError, InterfaceError, connection

from sources.models.clock import LEASE, Clock

BEAT = 10  # seconds


class Heartbeat:
    """Keeps the turn while its process works, from a thread with its own connection."""

    def __init__(self, holder):
        self.holder, self.until = holder, 0
        self.ended = Event()
        self.thread = Thread(target=self.beat_until_the_end, daemon=True)

    def __enter__(self):
        self.beat()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        connection.close()  # A signal may have interrupted a statement.
        with suppress(DatabaseError, InterfaceError):
            Clock.objects.release(self.holder)

    @property
    def has_turn(self):
        return monotonic() < self.until

    def beat(self):
        before = monotonic()
        if Clock.objects.acquire(self.holder):
            self.until = before + LEASE

    def beat_until_the_end(self):
        while not self.ended.wait(BEAT):
            try:
                self.beat()
            except (DatabaseError, InterfaceError):
                connection.close()
        connection.close()
