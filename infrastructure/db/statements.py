"""Recurring statements, run on the connection that this thread reads from, or on the primary."""

from contextlib import nullcontext

from django.db import DEFAULT_DB_ALIAS, IntegrityError, OperationalError, connections, transaction
from psycopg.errors import DeadlockDetected

from infrastructure.db.prepared_statements import named_row
from infrastructure.replicas.reading import reading

MAX_REPEATS = 2  # a repeated statement may meet the same deadlock again


def fetch_all(statement, params=(), *, writes=False):
    """All rows, as tuples. A statement that writes always runs on the primary."""
    rows, _ = fetch(statement, params, writes=writes)
    return rows


def fetch_one(statement, params=(), *, writes=False):
    """The first row, as a named tuple; None without rows."""
    rows, row_type = fetch(statement, params, writes=writes)
    return row_type._make(rows[0]) if rows else None


def write_one(statement, params, *, lock):
    """`fetch_one` of a statement that locks a row, looks and writes, repeated where it must be.

    A constraint refuses the statement if another write was committed between its snapshot and its
    lock. PostgreSQL ends a deadlock by undoing one statement. The repeated statement runs after
    `lock()`, in a transaction. Within a transaction of the caller, nothing is repeated.
    """
    for repeats in range(MAX_REPEATS + 1):
        try:
            with transaction.atomic() if repeats else nullcontext():
                if repeats:
                    lock()
                row = fetch_one(statement, params, writes=True)
            break
        except (IntegrityError, OperationalError) as error:
            is_deadlock = isinstance(error.__cause__, DeadlockDetected)
            may_repeat = repeats < MAX_REPEATS and not transaction.get_connection().in_atomic_block
            if not may_repeat or not (is_deadlock or isinstance(error, IntegrityError)):
                raise
    return row


def fetch(statement, params, *, writes):
    """All rows, and the named tuple of their columns."""
    connection = connections[DEFAULT_DB_ALIAS if writes else reading.alias]
    if hasattr(connection, "fetch"):
        return connection.fetch(statement, params)
    # PLAIN=1: Django's own backend.
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall(), named_row(tuple(column.name for column in cursor.description))
