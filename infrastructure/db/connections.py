"""Connections that give up on a server that does not respond."""

import os
import socket
import threading
import time
from contextlib import suppress
from weakref import WeakSet

import psycopg
from psycopg.generators import cancel
from psycopg.waiting import wait_conn

INTERVAL = 0.25  # seconds between two checks of the connections


class WatchedConnection(psycopg.Connection):
    """A connection that waits at most `max_wait` for any response.

    statement_timeout does not end a commit that waits for a synchronous standby, and no setting of
    the server helps if the server is frozen. One thread watches all connections, because a limit on
    each wait would double the cost of a statement here.
    """

    max_wait = None  # seconds

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # The start time of the current wait. Removing it decides about the wait: the waiting thread
        # removes it to use the response, the watch to abandon the wait.
        self.waits = {}

    def wait(self, *arguments):
        return self.waiting(super().wait, *arguments)

    def waiting(self, call, *arguments):
        """Call a function that waits for the server: psycopg's own `wait`, or one of libpq."""
        begun = time.monotonic()
        self.waits[begun] = True
        try:
            response = call(*arguments)
        except BaseException:
            self.waits.pop(begun, None)
            raise
        if not self.waits.pop(begun, False):
            self.close()  # the watch is about to end whatever runs on it
            raise psycopg.OperationalError("the response came too late")
        return response

    def gives_up(self):
        """Whether a wait is overdue. Its response is then ignored."""
        latest = time.monotonic() - self.max_wait
        return any(self.waits.pop(begun, False) for begun in [*self.waits] if begun < latest)

    def abandon(self):
        """End the statement and the connection of the waiting thread.

        A commit that is cancelled while it waits for a standby is reported as done, although a
        failover would lose it. So its response must not be used, even if TCP still delivers it.
        """
        with suppress(OSError, psycopg.Error):
            cancellation = self.pgconn.cancel_conn()
            with socket.socket(fileno=os.dup(self.fileno())) as link:
                link.shutdown(socket.SHUT_RD)
            cancellation.start()
            wait_conn(cancel(cancellation), interval=0.1, timeout=1)


class Watch:
    """The thread that abandons overdue waits, and the connections that have a limit."""

    def __init__(self):
        self.connections = WeakSet()
        self.lock = threading.Lock()
        self.thread = None

    def add(self, connection):
        with self.lock:
            self.connections.add(connection)
            # A thread does not outlive a fork.
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self.run, name="watches waits", daemon=True)
                self.thread.start()

    def run(self):
        while True:
            time.sleep(INTERVAL)
            with self.lock:
                overdue = [connection for connection in self.connections if connection.gives_up()]
            for connection in overdue:
                # A hanging connection must not delay the others.
                threading.Thread(target=connection.abandon, daemon=True).start()


watch = Watch()


class Watched:
    """psycopg for Django, with connections that wait at most so many seconds."""

    def __init__(self, max_wait):
        self.max_wait = max_wait

    def connect(self, **options):
        connection = WatchedConnection.connect(**options)
        connection.max_wait = self.max_wait
        watch.add(connection)
        return connection

    def __getattr__(self, name):
        return getattr(psycopg, name)
