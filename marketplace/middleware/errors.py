"""Errors of every layer in JSON, or as a page if the view is one."""

import sys
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.utils.encoding import escape_uri_path
from django.utils.log import log_response

from infrastructure.http_cache.stored_files import StoreUnavailable
from marketplace.api.exceptions import NO_SUCH_PATH, Unavailable
from marketplace.middleware.pages import is_page, match_of

TEXTS = {
    HTTPStatus.BAD_REQUEST: "Bad request: the Host header or the URL is not acceptable",
    HTTPStatus.NOT_FOUND: NO_SUCH_PATH,
    HTTPStatus.INTERNAL_SERVER_ERROR: "Internal server error",
}
TOO_MANY_FILES = (
    f"You can drop up to {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files at once. Put more of them "
    "into a zip file."
)
SAFE = {"GET", "HEAD"}

# A write reached a standby, or a server that is no longer the primary.
READ_ONLY = "25006"
# Temporary errors, by class of SQLSTATE and one code: connection, rollback (deadlock), resources,
# locks, and operator intervention (a shutdown, a statement timeout).
TRANSIENT = ("08", READ_ONLY, "40", "53", "55", "57")


def error_view(status):
    """The view of an error: its page, or an empty response for the middleware below to fill.

    Django's own views read the request's form first, and crash if it is unreadable.
    """

    def view(request, exception=None):
        text = TOO_MANY_FILES if isinstance(exception, TooManyFilesSent) else ""
        content = render_to_string(f"{status}.html", {"text": text}) if is_page(request) else ""
        return HttpResponse(content, status=status)

    return view


page_not_found = error_view(HTTPStatus.NOT_FOUND)


def not_found(request, exception=None):
    """A redirect from /Skills to /skills, or the 404 page if that is not a page either."""
    first, slash, rest = request.path_info[1:].partition("/")
    path = f"/{first.lower()}{slash}{rest}"
    match = match_of(path) if path != request.path_info and request.method in SAFE else None
    if match is None or not hasattr(match.func, "is_page"):
        return page_not_found(request)
    query = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(escape_uri_path(path) + (f"?{query}" if query else ""))


def error_response(status, text, headers=None):
    response = JsonResponse({"error": text}, status=status, headers=headers)
    response["Content-Length"] = str(len(response.content))
    return response


def is_transient(error):
    """Whether a retry of the same request may succeed: a store is unavailable or busy."""
    # Importing redis takes a sixth of a process's start, and its errors only occur once it is
    # imported.
    redis = sys.modules.get("redis")
    unavailable = (StoreUnavailable, InterfaceError, *([redis.RedisError] if redis else []))
    if isinstance(error, unavailable):
        return True
    if not isinstance(error, DatabaseError):
        return False
    sqlstate = sqlstate_of(error)
    if sqlstate is None:
        return isinstance(error, OperationalError)
    return sqlstate.startswith(TRANSIENT)


def sqlstate_of(error):
    return getattr(error.__cause__, "sqlstate", None)


def log_cause(request, response, error):
    """Log a 503 as one line that names its cause; Django then logs none of its own."""
    cause = " ".join(filter(None, [type(error).__name__, sqlstate_of(error)]))
    message, *_ = str(error).splitlines() or [""]
    log_response(
        "%s: %s: %s: %s",
        *(response.reason_phrase, request.path, cause, message),
        response=response,
        request=request,
    )


class JsonErrorsMiddleware:
    """Turns every error response of the inner layers into JSON, except pages.

    No cache may keep them: without a Cache-Control, a cache may keep a 404 (RFC 9111, 4.2.2).
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if response.status_code < HTTPStatus.BAD_REQUEST:
            return response
        if response.headers.get("Content-Type") != "application/json" and not is_page(request):
            response = self.in_json(response)
        response["Cache-Control"] = "no-store"
        return response

    def in_json(self, response):
        status = response.status_code
        text = TEXTS.get(status) or HTTPStatus(status).phrase
        headers = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
        return error_response(status, text, headers)

    def process_exception(self, request, error):
        if not is_transient(error):
            return None
        if sqlstate_of(error) == READ_ONLY:
            connection.close()  # The next request reconnects, and may reach the primary.
        if is_page(request):
            content = render_to_string("503.html")
            response = HttpResponse(content, status=503, headers=Unavailable.headers)
        else:
            response = error_response(503, Unavailable.default_detail, Unavailable.headers)
        log_cause(request, response, error)
        return response
