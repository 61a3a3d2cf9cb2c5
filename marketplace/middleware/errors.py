"""What stands around the views: JSON for every error, health, HTTPS, who may read from where."""

import logging
import re
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import MiddlewareNotUsed
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.template.loader import render_to_string
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from marketplace.api.exceptions import Unavailable

logger = logging.getLogger(__name__)

TEXTS = {
    HTTPStatus.BAD_REQUEST: "Bad request: the Host header or the URL is not acceptable",
    HTTPStatus.NOT_FOUND: "Not found: the API has no such path",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Internal server error",
}
HTTPS_REQUIRED = "HTTPS is required"

# SQLSTATE classes of trouble that passes: connection, rollback (deadlock), resources, locks and
# operator intervention (a shutdown, a statement timeout).
PASSING = ("08", "40", "53", "55", "57")


def is_page(path):
    """Pages made for people answer in HTML; everything else speaks JSON (contract 1)."""
    if path.startswith(("/skills/", "/personas/")):
        return "/.well-known/" not in path
    pages = {"/", "/admin", "/docs", "/docs/", "/skills", "/personas"}
    return path in pages or path.startswith(("/admin/", "/claim/"))


def error_response(status, text, headers=None):
    response = JsonResponse({"error": text}, status=status, headers=headers)
    response["Content-Length"] = str(len(response.content))
    return response


def is_passing(error):
    """Whether the same request may succeed in a moment: a store is away or busy."""
    if isinstance(error, RedisConnectionError | RedisTimeoutError | InterfaceError):
        return True
    if not isinstance(error, DatabaseError):
        return False
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    if sqlstate is None:
        return isinstance(error, OperationalError)
    return sqlstate.startswith(PASSING)


class JsonErrorsMiddleware:
    """Around all that may fail: no error of any layer below leaves the API as anything but JSON."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        status = response.status_code
        if (
            status < HTTPStatus.BAD_REQUEST
            or is_page(request.path)
            or response.headers.get("Content-Type") == "application/json"
        ):
            return response
        text = TEXTS.get(status) or HTTPStatus(status).phrase
        kept = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
        return error_response(status, text, kept)

    def process_exception(self, request, error):
        if not is_passing(error):
            return None
        if is_page(request.path):
            page = render_to_string("503.html")
            return HttpResponse(page, status=503, headers=Unavailable.headers)
        return error_response(503, Unavailable.default_detail, Unavailable.headers)


class HealthCheckMiddleware:
    """`/healthz` and `/readyz`, before hosts and HTTPS are looked at (contract 9)."""

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
            text = f"Method {request.method} is not allowed here; use GET, HEAD"
            return error_response(405, text, {"Allow": "GET, HEAD"})
        return check()

    def process_is_up(self):
        return JsonResponse({"status": "ok"})

    def database_is_ready(self):
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            # Migrations are never undone under a running process, so once is enough.
            self.migrated = self.migrated or not self.has_pending_migrations()
        except DatabaseError:
            return error_response(503, "Database is not reachable", Unavailable.headers)
        if not self.migrated:
            return error_response(503, "Database is not migrated", Unavailable.headers)
        return JsonResponse({"status": "ok"})

    def has_pending_migrations(self):
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


class StaffOnlyMixin:
    """Sessions, users and messages belong to the admin; no other request pays for them."""

    def __call__(self, request):
        if request.path.startswith("/admin/"):
            return super().__call__(request)
        return self.get_response(request)


class StaffSessionMiddleware(StaffOnlyMixin, SessionMiddleware):
    pass


class StaffAuthenticationMiddleware(StaffOnlyMixin, AuthenticationMiddleware):
    pass


class StaffMessageMiddleware(StaffOnlyMixin, MessageMiddleware):
    pass


class FormCsrfMiddleware(CsrfViewMiddleware):
    """For the pages that take a form. Elsewhere no cookie has a meaning, and none is set."""

    def __call__(self, request):
        if request.path.startswith(("/admin/", "/claim/")):
            return super().__call__(request)
        return self.get_response(request)

    def process_view(self, request, *view):
        if request.path.startswith(("/admin/", "/claim/")):
            return super().process_view(request, *view)
        return None


class CorsMiddleware:
    """Scripts of any site may read what is public: catalogue, discovery, words for machines.

    Nothing of it depends on who asks, so there is nothing to steal. Simple requests need no
    preflight, and get none. Around all that may fail, so that errors carry the headers too.
    """

    PUBLIC = re.compile(
        r"/api/v1/(skills|personas|openapi\.json)(/|$)|/(llms\.txt|skill\.md)/?$"
        r"|(/(skills|personas)/[^/]+)?/\.well-known/"
    )
    HEADERS = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "ETag, Retry-After",
    }

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.method in {"GET", "HEAD"} and self.PUBLIC.match(request.path):
            for name, value in self.HEADERS.items():
                response[name] = value
        return response


class ContentSecurityPolicyMiddleware:
    """Pages load nothing but our own files, and nobody frames them; the API's answers are no pages.

    A view that needs less says so itself.
    """

    PAGE = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    # The admin's theme evaluates the expressions of its own templates. No script stands in a page.
    ADMIN = PAGE.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'")
    DATA = "default-src 'none'; frame-ancestors 'none'"

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        policy = self.DATA
        if is_page(request.path):
            is_admin = request.path.startswith("/admin/")
            policy = self.ADMIN if is_admin else self.PAGE
        response.headers.setdefault("Content-Security-Policy", policy)
        return response


class RequireHttpsMiddleware:
    """Specification, Authentication 7. Never a redirect: it would have carried the token in clear.

    Pages for people are left to SecurityMiddleware, which redirects them.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if settings.REQUIRE_HTTPS and not request.is_secure() and not is_page(request.path):
            return error_response(403, HTTPS_REQUIRED)
        return self.get_response(request)


class UntrustedProxyMiddleware:
    """Only the log can tell a deployer why everything is refused or redirected for ever."""

    def __init__(self, get_response):
        if settings.TRUSTED_PROXY_COUNT or not settings.REQUIRE_HTTPS:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.has_warned = False

    def __call__(self, request):
        if not self.has_warned and request.headers.get("X-Forwarded-Proto", "").startswith("https"):
            self.has_warned = True
            logger.warning(
                "A request that says X-Forwarded-Proto: https is refused or redirected, because no "
                "proxy is trusted. If the deployment's own proxy wrote that header, set "
                "TRUSTED_PROXY_COUNT to the number of proxies in front (1 behind a PaaS router)."
            )
        return self.get_response(request)
