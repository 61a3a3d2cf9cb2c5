"""Recurring statements, run on the connection that this thread reads from, or on the primary."""

from django.db import DEFAULT_DB_ALIAS, connections

from infrastructure.db.prepared_statements import named_row
from infrastructure.replicas.reading import reading


def fetch_all(statement, params=(), *, writes=False):
    """All rows, as tuples. A statement that writes always runs on the primary."""
    rows, _ = fetch(statement, params, writes=writes)
    return rows


def fetch_one(statement, params=(), *, writes=False):
    """The first row, as a named tuple; None without rows."""
    rows, row_type = fetch(statement, params, writes=writes)
    return row_type._make(rows[0]) if rows else None


def fetch(statement, params, *, writes):
    """All rows, and the named tuple of their columns."""
    connection = connections[DEFAULT_DB_ALIAS if writes else reading.alias]
    if hasattr(connection, "fetch"):
        return connection.fetch(statement, params)
    # PLAIN=1: Django's own backend.
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall(), named_row(tuple(column.name for column in cursor.description))
