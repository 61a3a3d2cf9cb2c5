"""Snapshots of the database, read in one statement, for tests that compare it a hundred times."""

from functools import cache

from django.db import connection


@cache
def statement(*tables):
    """A statement for all rows of each table, `(model, *columns)`, or a model for all columns."""
    return "SELECT " + ", ".join(map(rows_of, tables))


def rows_of(table):
    model, *names = table if isinstance(table, tuple) else (table,)
    columns = ", ".join(model._meta.get_field(name).column for name in names) or "*"
    key = model._meta.pk.column
    rows = f'SELECT {key} AS row_key, {columns} FROM "{model._meta.db_table}"'
    return f"(SELECT array_agg(rows::text ORDER BY rows.row_key) FROM ({rows}) rows)"


def snapshot(*tables):
    with connection.cursor() as cursor:
        cursor.execute(statement(*tables))
        return dict(zip(tables, cursor.fetchone(), strict=True))
