import logging
import time

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import JsonResponse

from marketplace.api.exceptions import Unavailable, not_allowed
from marketplace.middleware.errors import error_response, log_cause

logger = logging.getLogger(__name__)
MAX_DIFFERENCE = 5  # seconds between the clocks of host and database
OK = {"status": "ok"}
NO_STORE = {"Cache-Control": "no-store"}


class HealthCheckMiddleware:
    """`/healthz` and `/readyz`, over plain HTTP and for any host name (contract 9)."""

    def __init__(self, get_response):
        self.get_response = get_response
        self.migrated = False
        self.is_clock_right = True

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
            with connection.cursor() as cursor:
                cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float")
                [database_time] = cursor.fetchone()
            # Migrations are never undone under a running process, so one check is enough.
            self.migrated = self.migrated or not self.has_pending_migrations()
        except DatabaseError as error:
            response = error_response(503, "Database is not reachable", Unavailable.headers)
            log_cause(request, response, error)
            return response
        self.compare_clocks(time.time() - database_time)
        if not self.migrated:
            return error_response(503, "Database is not migrated", Unavailable.headers)
        return JsonResponse(OK, headers=NO_STORE)

    def compare_clocks(self, difference):
        """Log one line where the clocks begin to differ, and one where they agree again."""
        is_right = abs(difference) <= MAX_DIFFERENCE
        if is_right == self.is_clock_right:
            return
        self.is_clock_right = is_right
        if is_right:
            logger.warning("the clocks of this host and of the database agree again")
        else:
            logger.warning(
                "the clock of this host is %.0f seconds %s that of the database: synchronize both",
                abs(difference),
                "ahead of" if difference > 0 else "behind",
            )

    def has_pending_migrations(self):
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
