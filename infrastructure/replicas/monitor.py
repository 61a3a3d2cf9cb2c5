"""The readable replicas (DATABASE_REPLICA_URL). The first question starts the threads that ask."""

import logging
import threading
import time
from collections import deque

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections

logger = logging.getLogger(__name__)
REPLICAS = [alias for alias in settings.DATABASES if alias != DEFAULT_DB_ALIAS]
INTERVAL = 0.2  # seconds between two checks of a server
# A server's position in the log, and the history that it has received.
LOOK = """
SELECT {} - '0/0'::pg_lsn, (SELECT name FROM marketplace_history)
"""
ON_PRIMARY = LOOK.format("pg_current_wal_lsn()")
ON_REPLICA = LOOK.format("CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END")
NOTE_HISTORY = """
INSERT INTO marketplace_history (id, name) VALUES (1, %s)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name
"""


class Monitor:
    """The replicas that respond, and lag at most REPLICA_MAX_LAG seconds behind the primary.

    It compares positions in the log, because clocks differ and an idle primary is not behind. One
    thread per server asks it, so a hanging server stops only its own thread.

    A replica cannot tell which history it has, and one that received what a failover lost may be
    ahead of the new primary. So the name of a new history is stored, and a replica is not read
    until it has received that.
    """

    def __init__(self):
        self.usable_until = dict.fromkeys(REPLICAS, 0)
        self.problems = dict.fromkeys(settings.DATABASES)
        self.positions = deque(maxlen=1000)  # (time, position) of the primary
        self.histories = dict.fromkeys(settings.DATABASES)
        self.lock = threading.Lock()
        self.is_running = False

    def usable(self):
        """The replicas to ask, beginning with the one to which this thread has a connection."""
        with self.lock:
            if not self.is_running:
                self.start()
        now = time.monotonic()
        current = self.histories[DEFAULT_DB_ALIAS]
        replicas = [
            alias
            for alias in REPLICAS
            if self.usable_until[alias] > now and self.histories[alias] == current
        ]
        first = threading.get_native_id() % (len(replicas) or 1)
        return replicas[first:] + replicas[:first]

    def leave_out(self, alias):
        self.usable_until[alias] = 0

    def start(self):
        """Start watching; in the process that serves, not in the one that forked it."""
        self.is_running = True
        self.watch(DEFAULT_DB_ALIAS, ON_PRIMARY, self.note_primary)
        for alias in REPLICAS:
            self.watch(alias, ON_REPLICA, self.note_replica)

    def watch(self, alias, statement, note):
        def look():
            while True:
                begun = time.monotonic()
                try:
                    [(position, history)] = connections[alias].fetch(statement)[0]
                    problem = note(alias, begun, position, history)
                except Error as error:
                    connections[alias].close()
                    problem = str(error) or type(error).__name__
                if problem:
                    self.leave_out(alias)
                self.log_change(alias, problem)
                time.sleep(INTERVAL)

        threading.Thread(target=look, name=f"watches {alias}", daemon=True).start()

    def note_primary(self, alias, begun, position, stored_history):
        current = connections[alias].history
        if stored_history != current:
            connections[alias].fetch(NOTE_HISTORY, [current])
        self.histories[alias] = current
        self.positions.append((begun, position))

    def note_replica(self, alias, begun, position, history):
        """Record the replica's position; returns why it cannot be used, or None."""
        needed = self.position_before(begun - settings.REPLICA_MAX_LAG)
        if position is None:
            return "it is not a replica"
        if needed is None or position < needed:
            return "it is behind the primary"
        if history != self.histories[DEFAULT_DB_ALIAS]:
            return "it does not follow the primary"
        self.histories[alias] = history
        self.usable_until[alias] = begun + settings.REPLICA_MAX_LAG
        return None

    def log_change(self, alias, problem):
        """Log one line when a server becomes unreadable, and one when it is readable again."""
        if bool(problem) == bool(self.problems[alias]):
            return
        self.problems[alias] = problem
        if problem:
            logger.warning("%s cannot be read: %s", alias, problem.splitlines()[0])
        else:
            logger.warning("%s can be read again", alias)

    def position_before(self, moment):
        """The primary's position at that time, or the oldest known one; None if none is known."""
        positions = [position for noted, position in self.positions.copy() if noted <= moment]
        return (
            positions[-1] if positions else next((position for _, position in self.positions), None)
        )


monitor = Monitor()
