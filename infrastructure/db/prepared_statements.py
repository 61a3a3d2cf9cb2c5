"""Statements that are prepared once per connection and executed by libpq directly.

A cursor looks up how to read each column every time, is wrapped by Django, and returns to Python
between sending, waiting and reading. docs/develop/notebook/requests.md shows the difference.
"""

import operator
import re
from collections import namedtuple
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from cachetools import LRUCache
from psycopg import OperationalError
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import (
    DuplicatePreparedStatement,
    FeatureNotSupported,
    InvalidSqlStatementName,
    error_from_result,
)
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus
from psycopg.types.datetime import TimestamptzLoader

MAX_STATEMENTS = 100  # per connection
GOOD = {ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK}


class PreparedStatements:
    """The prepared statements of one connection.

    Behind a pooler, each call may reach another server, on which other clients have prepared and
    deallocated statements. So a name always means the same statement, whoever prepared it. A
    statement that a server lacks runs unnamed: that is one call and needs no preparation.
    """

    def __init__(self, connection, *, is_enabled=True):
        self.connection = connection
        self.is_enabled = is_enabled
        # A connection with a limit on waiting watches what it calls.
        self.wait = getattr(connection, "waiting", operator.call)
        context = connection.cursor()
        # psycopg's own loader in C, instead of Django's.
        context.adapters.register_loader("timestamptz", TimestamptzLoader)
        self.transformer = Transformer(context)
        self.names = LRUCache(MAX_STATEMENTS)

    def fetch(self, statement, params):
        """All rows as tuples, and the named tuple of their columns.

        `params` are a sequence for `%s`, a mapping for `%(name)s`.
        """
        parsed = parse(statement)
        values = [params[place] for place in parsed.places]
        dumped = self.transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
        # PostgreSQL plans by type, and the type of a number depends on its size.
        result = self.run((parsed.text, self.transformer.types), dumped)
        self.transformer.set_pgresult(result)
        rows = self.transformer.load_rows(0, result.ntuples, tuple)
        # The transformer is kept; a result may be large, and is not.
        self.transformer.set_pgresult(None, set_loaders=False)
        if parsed.row_type is None:
            names = tuple(result.fname(i).decode() for i in range(result.nfields))
            parsed.row_type = named_row(names)
        return rows, parsed.row_type

    def run(self, key, dumped):
        pgconn, formats = self.connection.pgconn, self.transformer.formats
        # In a transaction, a missing name would be an error that ends it.
        if self.is_enabled and pgconn.transaction_status == TransactionStatus.IDLE:
            try:
                name = self.names.get(key) or self.prepare(key)
                return self.response(pgconn.exec_prepared, name, dumped, formats)
            except InvalidSqlStatementName:
                self.names.pop(key, None)
            except FeatureNotSupported:
                # A column has changed its type since.
                self.close(self.names.pop(key, None))
            # The statement has done nothing yet, and the next run prepares it again.
        text, types = key
        return self.response(pgconn.exec_params, text, dumped, types, formats)

    def prepare(self, key):
        name = blake2b(repr(key).encode(), digest_size=16).hexdigest().encode()
        if len(self.names) == MAX_STATEMENTS:
            self.close(self.names.popitem()[1])
        with suppress(DuplicatePreparedStatement):
            self.response(self.connection.pgconn.prepare, name, *key)
        self.names[key] = name
        return name

    def close(self, name):
        if name is not None:
            self.response(self.connection.pgconn.close_prepared, name)

    def response(self, call, *arguments):
        result = self.wait(call, *arguments)
        if result.status in GOOD:
            return result
        # An error without a code comes from libpq: the connection is lost.
        if result.error_field(DiagnosticField.SQLSTATE) is None:
            raise OperationalError(result.get_error_message())
        raise error_from_result(result)


@dataclass
class Statement:
    """A statement with PostgreSQL's `$1`, `$2` …, and the place of each in the params."""

    text: bytes
    places: list
    row_type: type | None = None


@lru_cache(200)
def parse(statement):
    numbers = {}

    def number(match):
        if match[0] == "%%":
            return "%"
        place = match[1] or len(numbers)
        return f"${numbers.setdefault(place, len(numbers) + 1)}"

    text = re.sub(r"%%|%s|%\((\w+)\)s", number, statement).encode()
    return Statement(text, list(numbers))


@lru_cache(200)
def named_row(names):
    # Unnamed columns can only be read by position.
    return namedtuple("Row", names, rename=True)  # noqa: PYI024 - its fields are known only here
