import re

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.response import Response

from connections import oauth, resources
from connections.exceptions import TooManyClients
from connections.parsers import FormParser
from marketplace import access
from marketplace.access import Audience
from marketplace.acting import acting
from marketplace.api.exceptions import NO_SUCH_PATH, NotFound, Unavailable, handle
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.api.viewsets import PublicReadingViewSet, PublicViewSet
from marketplace.middleware.errors import is_transient, log_cause
from marketplace.ratelimits.decorators import ratelimit

# The errors of RFC 6749 for the statuses that it does not give one; the SDKs of MCP know the first.
ERRORS = {429: "too_many_requests", 503: "temporarily_unavailable"}
NOT_IN_DESCRIPTION = re.compile(r"[^ !#-\[\]-~]")  # RFC 6749, 5.2
FULL_FOR = 3600  # seconds until a client may try to register again


def handle_as_oauth(error, context):
    """DRF's exception handler: every error in the shape of RFC 6749, section 5.2.

    Clients go by its code: for one that they do not know, they send the person to sign in again.
    """
    is_busy = is_transient(error)
    response = handle(Unavailable() if is_busy else error, context)
    if is_busy:
        log_cause(context["request"], response, error)
    if response is not None:
        name = ERRORS.get(response.status_code, "invalid_request")
        text = NOT_IN_DESCRIPTION.sub("'", response.data["error"])
        response.data = {"error": name, "error_description": text}
    return response


@extend_schema(exclude=True)
class DocumentOfOAuthViewSet(PublicReadingViewSet):
    """The documents by which a client finds its way (RFC 8414, RFC 9728)."""

    audience = Audience.EVERYONE
    answers_preflights = True

    def server(self, request):
        return json_response(oauth.metadata(base_url(request)))

    def resource(self, request):
        return json_response(resources.document(base_url(request), "mcp-oauth"))

    def resource_of_members(self, request):
        """A public /mcp asks nobody to sign in."""
        if access.is_public():
            raise NotFound(NO_SUCH_PATH)
        return json_response(resources.document(base_url(request), "mcp"))


def json_response(document):
    return public_response(orjson.dumps(document).decode(), content_type="application/json")


@extend_schema(exclude=True)
class OAuthViewSet(PublicViewSet):
    audience = Audience.EVERYONE
    answers_preflights = True

    def dispatch(self, request, *args, **kwargs):
        with acting("system", request=request):
            return super().dispatch(request, *args, **kwargs)

    def get_exception_handler(self):
        return handle_as_oauth


class ClientRegistrationViewSet(OAuthViewSet):
    @ratelimit("oauth-register")
    def create(self, request):
        body = oauth.JsonOAuthRequest(request.data)
        try:
            return oauth.OAuthServer(request).create_endpoint_response("client_registration", body)
        except TooManyClients:
            text = "Too many clients are registered. Try again in an hour."
            return Response(
                {"error": ERRORS[503], "error_description": text},
                status.HTTP_503_SERVICE_UNAVAILABLE,
                headers={"Retry-After": str(FULL_FOR)},
            )


class FormViewSet(OAuthViewSet):
    parser_classes = [FormParser]

    def token(self, request):
        form = oauth.OAuthRequest("POST", request.data)
        return oauth.OAuthServer(request).token_response(form)

    def revoke(self, request):
        form = oauth.OAuthRequest("POST", request.data)
        return oauth.OAuthServer(request).create_endpoint_response("revocation", form)
