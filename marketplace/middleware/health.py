import logging
import time
from contextlib import suppress

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import JsonResponse

from marketplace.api.exceptions import Unavailable, not_allowed
from marketplace.middleware.errors import error_response, log_cause

logger = logging.getLogger(__name__)
MAX_DIFFERENCE = 5  # seconds between the clocks of host and database
CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float"
OK = {"status": "ok"}
NO_STORE = {"Cache-Control": "no-store"}


def clock_difference():
    """How many seconds the clock of this host is ahead of the database's."""
    with connection.cursor() as cursor:
        cursor.execute(CLOCK)
        [database_time] = cursor.fetchone()
    return time.time() - database_time


def has_pending_migrations():
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


class Clocks:
    """The clocks of this host and of the database, which end limits, tokens and sessions."""

    agree = True

    def compare(self):
        """Log one line when they begin to differ, and one when they agree again."""
        difference = clock_difference()
        agree = abs(difference) <= MAX_DIFFERENCE
        if agree == self.agree:
            return
        self.agree = agree
        if agree:
            logger.warning("the clocks of this host and of the database agree again")
        else:
            logger.warning(
                "the clock of this host is %.0f seconds %s that of the database: synchronize both",
                abs(difference),
                "ahead of" if difference > 0 else "behind",
            )

    def compare_at_start(self):
        """The same before any request, whether or not there is a database yet."""
        with suppress(DatabaseError, InterfaceError):
            self.compare()
        connection.close()


clocks = Clocks()


class HealthCheckMiddleware:
    """`/healthz` and `/readyz`, over plain HTTP and for any host name (contract 24.7)."""

    def __init__(self, get_response):
        self.get_response = get_response
        self.migrated = False

    def __call__(self, request):
        check = {"/healthz": self.process_is_up, "/readyz": self.database_is_ready}.get(
            request.path.rstrip("/")
        )
        if check is None:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            allowed = "GET, HEAD"
            return error_response(405, not_allowed(request.method, allowed), {"Allow": allowed})
        return check(request)

    def process_is_up(self, _request):
        return JsonResponse(OK, headers=NO_STORE)

    def database_is_ready(self, request):
        try:
            clocks.compare()
            # Migrations are never undone under a running process, so one check is enough.
            self.migrated = self.migrated or not has_pending_migrations()
        except (DatabaseError, InterfaceError) as error:
            response = error_response(503, "Database is not reachable", Unavailable.headers)
            log_cause(request, response, error)
            return response
        if not self.migrated:
            return error_response(503, "Database is not migrated", Unavailable.headers)
        return JsonResponse(OK, headers=NO_STORE)
