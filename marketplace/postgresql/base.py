"""Django's PostgreSQL backend; connections are kept, and one that died is noticed for nothing."""

import select

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus


class DatabaseWrapper(base.DatabaseWrapper):
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
