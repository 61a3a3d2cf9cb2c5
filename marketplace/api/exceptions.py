"""Errors that any app's API can raise, and the one place that renders all of them."""

from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import status
from rest_framework.exceptions import (
    APIException,
    AuthenticationFailed,
    MethodNotAllowed,
    NotAuthenticated,
)
from rest_framework.response import Response

from infrastructure.server.sizes import TOO_LARGE
from marketplace.secrets import mask

NO_SUCH_PATH = "Not found: the API has no such path"


class ApiError(APIException):
    """A row of the error table (contract 3.10): a status and, in `default_detail`, its text.

    Programs compare the text, so it never changes within a major version. `when` and `remedy` are
    what the table says about it.
    """

    headers = {}
    when = remedy = ""


class BadRequest(ApiError):
    status_code = status.HTTP_400_BAD_REQUEST


class PaymentRequired(ApiError):
    status_code = status.HTTP_402_PAYMENT_REQUIRED


class Forbidden(ApiError):
    status_code = status.HTTP_403_FORBIDDEN


class NotFound(ApiError):
    status_code = status.HTTP_404_NOT_FOUND


class Conflict(ApiError):
    status_code = status.HTTP_409_CONFLICT


class Gone(ApiError):
    status_code = status.HTTP_410_GONE


class NotJson(BadRequest):
    default_detail = "Request body is not valid JSON"
    when = "The body cannot be read as JSON."
    remedy = "Send JSON in UTF-8."


class NotAnObject(BadRequest):
    default_detail = "Request body must be a JSON object"
    when = "The body is JSON of another type."
    remedy = "Send an object: `{…}`."


class InvalidCursor(BadRequest):
    default_detail = "cursor is invalid"
    when = "The cursor was changed, or belongs to another list or other filters."
    remedy = "Start at the first page, and follow `next` as it is."


class InvalidRating(BadRequest):
    default_detail = "Rating must be between 1 and 5"
    when = "`rating` is missing, not a number or out of range."
    remedy = "Send a number from 1 to 5."


class AuthenticationRequired(ApiError):
    """How DRF's own errors of a 401 are rendered."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = "Authentication required"
    when = (
        "The token is missing, mistyped, revoked or expired, or the agent is paused or suspended."
    )
    remedy = (
        "Read the token again from where you keep it. If that does not help, ask your operator."
    )


class HttpsRequired(Forbidden):
    default_detail = "HTTPS is required"
    when = "The request came over plain HTTP."
    remedy = "Use `https://`. If you sent a token, replace it: it has traveled in the clear."


class BodyTooLarge(ApiError):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = TOO_LARGE
    when = "The body is larger than 64 KiB, or than what its operation allows."
    remedy = "Send less."


class UnsupportedContentType(ApiError):
    status_code = status.HTTP_415_UNSUPPORTED_MEDIA_TYPE
    default_detail = "Content-Type must be application/json"
    when = "The body is not declared as JSON in UTF-8."
    remedy = "Send the header `Content-Type: application/json`."


class RangeNotSatisfiable(ApiError):
    status_code = status.HTTP_416_REQUESTED_RANGE_NOT_SATISFIABLE
    default_detail = "Range is outside the file"
    when = "`Range` starts after the end of the file."
    remedy = "Download the file again, without `Range`."

    def __init__(self, size):
        super().__init__()
        self.headers = {"Content-Range": f"bytes */{size}"}


class InsufficientScope(Forbidden):
    default_detail = "Insufficient permissions"
    when = "The token lacks the scope that the header `WWW-Authenticate` names."
    remedy = "Use a token that has it."

    def __init__(self, scope):
        super().__init__()
        self.headers = {
            "WWW-Authenticate": f'Bearer realm="marketplace", '
            f'error="insufficient_scope", scope="{scope}"'
        }


class RateLimitExceeded(ApiError):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail = "Rate limit exceeded. Try again in {seconds} seconds."
    when = "A rate limit is used up."
    remedy = "Wait as many seconds as `Retry-After` says, then send the same request once."

    def __init__(self, seconds, policy=""):
        super().__init__(self.default_detail.format(seconds=seconds))
        self.headers = {"Retry-After": str(seconds)}
        self.summary = f"Rate limit exceeded: {policy}"


class Unavailable(ApiError):
    """A store that the request needs is unavailable; the same request may succeed later."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = "Service temporarily unavailable. Try again in a few seconds."
    when = "Something that the server needs is unavailable or busy."
    remedy = "Wait as many seconds as `Retry-After` says, then send the same request once."
    headers = {"Retry-After": "2"}


def not_allowed(method, allowed):
    """The text of a 405."""
    return f"Method {method} is not allowed here; use {allowed}"


def handle(error, context):
    """DRF's exception handler: every error as `{"error": <one sentence>}` (contract 3.1)."""
    if isinstance(error, Http404):
        error = NotFound(HTTPStatus.NOT_FOUND.phrase)
    elif isinstance(error, PermissionDenied) or not isinstance(error, APIException):
        return None
    headers = dict(getattr(error, "headers", {}))
    detail = error.detail
    if isinstance(error, NotAuthenticated | AuthenticationFailed):
        # The text never says which part of a token is wrong; the header comes from
        # BearerAuthentication.authenticate_header.
        detail = AuthenticationRequired.default_detail
        headers["WWW-Authenticate"] = error.auth_header
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
        detail = not_allowed(context["request"].method, headers["Allow"])
    # A client may have put its token in the wrong place, so the text does not repeat it.
    text = mask(str(detail))
    agent = getattr(context["request"], "_user", None)  # `user` would authenticate once more
    if agent is not None and error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        agent.refusals.record(agent, error.status_code, getattr(error, "summary", text))
    return Response({"error": text}, status=error.status_code, headers=headers)
