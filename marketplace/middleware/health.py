from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import JsonResponse

from marketplace.api.exceptions import Unavailable, not_allowed
from marketplace.middleware.errors import error_response, log_cause

OK = {"status": "ok"}
NO_STORE = {"Cache-Control": "no-store"}


class HealthCheckMiddleware:
    """`/healthz` and `/readyz`, over plain HTTP and for any host name (contract 9)."""

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
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            # Migrations are never undone under a running process, so one check is enough.
            self.migrated = self.migrated or not self.has_pending_migrations()
        except DatabaseError as error:
            response = error_response(503, "Database is not reachable", Unavailable.headers)
            log_cause(request, response, error)
            return response
        if not self.migrated:
            return error_response(503, "Database is not migrated", Unavailable.headers)
        return JsonResponse(OK, headers=NO_STORE)

    def has_pending_migrations(self):
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
