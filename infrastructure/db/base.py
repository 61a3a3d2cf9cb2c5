"""Django's PostgreSQL backend with prepared statements and a cheap health check."""

import select
import time

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg.pq import TransactionStatus

from infrastructure import metrics
from infrastructure.db.connections import Watched
from infrastructure.db.prepared_statements import PreparedStatements, named_row
from infrastructure.replicas.history import MAX_AGE, read_history

MAX_PARAMS = 50


class MeasuredCursor(CursorWrapper):
    def _execute(self, *arguments):
        with metrics.statements.time():
            return super()._execute(*arguments)

    def _executemany(self, *arguments):
        with metrics.statements.time():
            return super()._executemany(*arguments)


class DatabaseWrapper(base.DatabaseWrapper):
    max_wait = None  # seconds to wait for a server whose own settings have no MAX_WAIT
    prepared_statements = None
    history_read = (None, 0, None)  # the connection, until when it is valid, the history

    @property
    def Database(self):  # noqa: N802
        """psycopg for Django; if waits are limited, a version that gives up."""
        max_wait = self.settings_dict.get("MAX_WAIT", self.max_wait)
        return psycopg if max_wait is None else Watched(max_wait)

    def get_new_connection(self, conn_params):
        connection = super().get_new_connection(conn_params)
        metrics.connections.inc()
        return connection

    def _close(self):
        if self.connection is not None:
            metrics.connections.dec()
        super()._close()

    def make_cursor(self, cursor):
        return MeasuredCursor(cursor, self)

    def fetch(self, statement, params=()):
        """All rows of a recurring statement, as tuples, and the named tuple of their columns.

        Rows and errors are those of a cursor.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        if self._needs_cursor(params):
            with self.cursor() as cursor:
                cursor.execute(statement, params)
                names = tuple(column.name for column in cursor.description)
                return cursor.fetchall(), named_row(names)
        if self.needs_rollback:
            self.validate_no_broken_transaction()
        return self._fetch_prepared(statement, params)

    def _fetch_prepared(self, statement, params=()):
        with self.wrap_database_errors, metrics.statements.time():
            if (
                self.prepared_statements is None
                or self.prepared_statements.connection is not self.connection
            ):
                self.prepared_statements = PreparedStatements(
                    self.connection, is_enabled=self.settings_dict["PREPARED_STATEMENTS"]
                )
            return self.prepared_statements.fetch(statement, params)

    @property
    def history(self):
        """The server's history of rows (infrastructure.replicas.history)."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        connection, valid_until, history = self.history_read
        if connection is not self.connection or time.monotonic() > valid_until:
            history = read_history(lambda statement: self._fetch_prepared(statement)[0])
            self.history_read = self.connection, time.monotonic() + MAX_AGE, history
        return history

    def _needs_cursor(self, params):
        """Whether queries are logged, BEGIN is still unsent, or parameters are many.

        psycopg sends BEGIN with the first statement that a cursor executes. Statements with a long
        list of parameters hardly recur.
        """
        begins_transaction = (
            not self.autocommit
            and self.connection.info.transaction_status == TransactionStatus.IDLE
        )
        return (
            self.queries_logged
            or self.execute_wrappers
            or begins_transaction
            or len(params) > MAX_PARAMS
        )

    def is_usable(self):
        """Called once per request, before its first statement (CONN_HEALTH_CHECKS).

        Polling the socket finds a dead connection without a round trip: an idle connection is
        silent, and one that the server has closed is not.
        """
        return self._is_idle_and_silent() or super().is_usable()

    def _is_idle_and_silent(self):
        if self.connection is None or self.connection.closed:
            return False
        socket = select.poll()
        socket.register(self.connection.fileno(), select.POLLIN)
        is_idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return is_idle and not socket.poll(0)
