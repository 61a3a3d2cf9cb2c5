"""Public reads from streaming replicas (DATABASE_REPLICA_URL).

A read that is decorated with `on_replica` runs on one server as a whole, so the row versions that
its validator compares belong to the rows that it returns. Everything else runs on the primary, and
so does everything if there is no replica.
"""

import threading
from functools import wraps

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections

from infrastructure.replicas.monitor import REPLICAS, monitor


class Reading(threading.local):
    alias = DEFAULT_DB_ALIAS
    history = None  # of the replica


reading = Reading()


def history():
    """The history of rows that this thread reads, the same on the primary and its replicas."""
    if reading.alias == DEFAULT_DB_ALIAS:
        # None with PLAIN=1: Django's own backend does not know it.
        return getattr(connections[DEFAULT_DB_ALIAS], "history", None)
    return reading.history


class ReplicaRouter:
    """A database router: reads follow `on_replica`, writes go to the primary."""

    def db_for_read(self, model, **hints):
        return reading.alias

    def db_for_write(self, model, **hints):
        return DEFAULT_DB_ALIAS

    def allow_migrate(self, db, app_label, **hints):
        return db == DEFAULT_DB_ALIAS


def on_replica(read):
    """Run a function on a replica; if that fails, on the next one, and finally on the primary.

    Functions that it calls run on the same server. It may run several times, so it must only read.
    """

    @wraps(read)
    def run(*arguments, **options):
        if not REPLICAS or reading.alias != DEFAULT_DB_ALIAS:
            return read(*arguments, **options)
        for alias in monitor.usable():
            reading.alias, reading.history = alias, monitor.histories[alias]
            try:
                return read(*arguments, **options)
            except (OperationalError, InterfaceError) as error:
                # An error with a code is the statement's own: a conflict with recovery, a timeout.
                if getattr(error.__cause__, "sqlstate", None) is None:
                    monitor.leave_out(alias)
                    connections[alias].close()
            finally:
                reading.alias = DEFAULT_DB_ALIAS
        return read(*arguments, **options)

    return run


def is_primary_known_down():
    """Whether the primary does not respond. Known only if replicas are watched."""
    return monitor.problems[DEFAULT_DB_ALIAS] is not None
