"""Connections that give up on a server that does not respond."""

from contextlib import suppress

import psycopg
from psycopg.pq import TransactionStatus


class Connection(psycopg.Connection):
    """A connection that waits no longer than `max_wait` for any response.

    statement_timeout does not end a commit that waits for a synchronous standby, and nothing on the
    server ends a request to a server that is frozen.
    """

    max_wait = None  # seconds; a request has a limit (marketplace.wsgi), a migration has none

    def wait(self, gen, interval=0.1, timeout=None):
        try:
            return super().wait(gen, interval, timeout or self.max_wait)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.abandon()
            raise

    def abandon(self):
        """End the statement and the connection.

        A commit that is cancelled while it waits for a standby is reported as done, although a
        failover would lose it: that response must not be read.
        """
        with suppress(psycopg.Error):
            self.cancel_safe(timeout=1)
        self.close()
