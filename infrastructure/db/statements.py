"""Statements that recur, run by the connection that this thread reads with, or the primary's."""

from django.db import DEFAULT_DB_ALIAS, connections

from infrastructure.replicas.reading import reading


def fetch_all(statement, params=(), *, writes=False):
    """All rows, as tuples. A statement that writes is the primary's, whoever calls it."""
    return connections[DEFAULT_DB_ALIAS if writes else reading.alias].fetch_all(statement, params)


def fetch_one(statement, params=(), *, writes=False):
    """The first row, as a named tuple; None without rows."""
    return connections[DEFAULT_DB_ALIAS if writes else reading.alias].fetch_one(statement, params)
