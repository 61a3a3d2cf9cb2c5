"""Columns of bytes that are too large for the memory of a worker: written and read in pieces.

A parameter is in memory several times: its bytes, their text in the statement, and what the driver
sends. So the pieces of a large value go to a large object of PostgreSQL, and one statement copies
that into the row.
"""

from contextlib import contextmanager

from django.db import connection, models, transaction
from django.db.models import Func, Value

PIECE = 1024 * 1024  # bytes


def pieces_of(file):
    """The bytes of a file, from its current position."""
    return iter(lambda: file.read(PIECE), b"")


@contextmanager
def large_value(pieces):
    """An expression of these bytes, for a row that is saved within the block."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT lo_create(0)")
        [oid] = cursor.fetchone()
        size = 0
        for piece in pieces:
            cursor.execute("SELECT lo_put(%s, %s, %s)", [oid, size, piece])
            size += len(piece)
        yield Func(
            Value(oid, models.BigIntegerField()),
            template="lo_get((%(expressions)s)::oid)",
            output_field=models.BinaryField(),
        )
        cursor.execute("SELECT lo_unlink(%s)", [oid])


def read_in_pieces(rows, name):
    """The value of a column in the only row of a queryset. Raises DoesNotExist."""
    start, piece = 1, None
    while piece is None or len(piece) == PIECE:
        part = Func(
            name,
            start,
            PIECE,
            function="substring",
            template="substring(%(expressions)s)",
            output_field=models.BinaryField(),
        )
        piece = bytes(rows.values_list(part, flat=True).get() or b"")
        start += PIECE
        yield piece
