"""Django's PostgreSQL backend; connections are kept, and one that died is noticed for nothing."""

import select
from datetime import UTC, datetime

from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from psycopg.pq import TransactionStatus

from marketplace.db.prepared_statements import Statements

MAX_VALUES = 50


class DatetimeLoader(BaseTzLoader):
    """A timestamptz read by datetime's own parser: psycopg's regular expression takes 10 µs each.

    A page of a list has forty of them. What Python's calendar has no date for is left to psycopg.
    """

    timezone = UTC

    def load(self, data):
        try:
            return datetime.fromisoformat(str(data, "ascii"))
        except ValueError:
            return super().load(data)


class DatabaseWrapper(base.DatabaseWrapper):
    statements = None

    def get_new_connection(self, conn_params):
        connection = super().get_new_connection(conn_params)
        connection.adapters.register_loader("timestamptz", DatetimeLoader)
        return connection

    def fetch_all(self, statement, params=()):
        """The rows of a statement that recurs, in half of the time that a cursor takes.

        Rows and errors are a cursor's. Within a transaction, or where somebody watches the queries,
        a cursor it is; and for long lists of values, whose statements hardly recur.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        is_watched = self.queries_logged or self.execute_wrappers
        if is_watched or not self.autocommit or len(params) > MAX_VALUES:
            with self.cursor() as cursor:
                cursor.execute(statement, params)
                return cursor.fetchall()
        with self.wrap_database_errors:
            if self.statements is None or self.statements.connection is not self.connection:
                self.statements = Statements(self.connection)
            return self.statements.fetch_all(statement, params)

    def is_usable(self):
        """Asked once a request, before its first statement (CONN_HEALTH_CHECKS).

        Django asks the server, a round trip each time. An idle connection is silent as long as it
        lives: a server that goes says so or closes it, and only then is the server asked.
        """
        return self.is_idle_and_silent() or super().is_usable()

    def is_idle_and_silent(self):
        if self.connection is None or self.connection.closed:
            return False
        heard = select.poll()
        heard.register(self.connection.fileno(), select.POLLIN)
        is_idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return is_idle and not heard.poll(0)
