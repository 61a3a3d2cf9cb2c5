"""Statements that are prepared once for each connection and executed by libpq directly.

A cursor looks up anew how to read each column, is wrapped by Django, and returns to Python between
sending, waiting and reading. docs/performance.md has the difference.
"""

import re
from collections import namedtuple
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from cachetools import LRUCache
from psycopg import OperationalError
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus

MAX_STATEMENTS = 100  # for each connection
GOOD = {ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK}


class PreparedStatements:
    """The prepared statements of one connection."""

    def __init__(self, connection):
        self.connection = connection
        self.dumper = Transformer(connection)
        self.prepared = LRUCache(MAX_STATEMENTS)
        self.names = count()

    def fetch(self, statement, params):
        """All rows as tuples, and the named tuple of their columns.

        `params` are a sequence for `%s`, a mapping for `%(name)s`.
        """
        text, places = numbered(statement)
        values = [params[place] for place in places]
        dumped = self.dumper.dump_sequence(values, [PyFormat.AUTO] * len(values))
        # PostgreSQL plans for types, and the type of a number is that of its size.
        key = text, self.dumper.types
        try:
            return self.run(key, dumped)
        except (FeatureNotSupported, InvalidSqlStatementName):
            # A column has changed its type since, or somebody has deallocated the statement. It
            # has done nothing, and is prepared again unless its transaction is broken by now.
            stale = self.prepared.pop(key, None)
            if stale is None:
                raise
            self.connection.pgconn.close_prepared(stale.name)
            if self.connection.pgconn.transaction_status == TransactionStatus.INERROR:
                raise
            return self.run(key, dumped)

    def run(self, key, dumped):
        prepared = self.prepared.get(key) or self.prepare(key)
        pgconn, formats = self.connection.pgconn, self.dumper.formats
        return prepared.read(self.checked(pgconn.exec_prepared(prepared.name, dumped, formats)))

    def prepare(self, key):
        pgconn, name = self.connection.pgconn, f"prepared_{next(self.names)}".encode()
        if len(self.prepared) == MAX_STATEMENTS:
            _, oldest = self.prepared.popitem()
            pgconn.close_prepared(oldest.name)
        self.checked(pgconn.prepare(name, *key))
        self.prepared[key] = PreparedStatement(name, Transformer(self.connection))
        return self.prepared[key]

    def checked(self, result):
        if result.status in GOOD:
            return result
        if self.connection.pgconn.status == ConnStatus.BAD:
            raise OperationalError(result.get_error_message())
        raise error_from_result(result)


@dataclass
class PreparedStatement:
    name: bytes
    reader: Transformer
    row_type: type | None = None

    def read(self, result):
        self.reader.set_pgresult(result, set_loaders=self.row_type is None)
        if self.row_type is None:
            names = tuple(result.fname(i).decode() for i in range(result.nfields))
            self.row_type = named_row(names)
        rows = self.reader.load_rows(0, result.ntuples, tuple)
        # The reader is kept; a result, which may be large, is not.
        self.reader.set_pgresult(None, set_loaders=False)
        return rows, self.row_type


@lru_cache(200)
def numbered(statement):
    """A statement with PostgreSQL's `$1`, `$2` …, and the place of each of them in the params."""
    numbers = {}

    def number(found):
        if found[0] == "%%":
            return "%"
        place = found[1] or len(numbers)
        return f"${numbers.setdefault(place, len(numbers) + 1)}"

    return re.sub(r"%%|%s|%\((\w+)\)s", number, statement).encode(), list(numbers)


@lru_cache(200)
def named_row(names):
    # Columns without a name of their own can be read by their place alone.
    return namedtuple("Row", names, rename=True)  # noqa: PYI024 - its fields are known only here
