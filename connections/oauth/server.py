import json
from urllib.parse import urlencode

from authlib.oauth2 import AuthorizationServer, OAuth2Error
from authlib.oauth2.rfc6749 import (
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
)
from django.http import HttpResponse

from connections.models import OAuthClient
from connections.oauth.clients import RegisteredClient
from connections.oauth.endpoints import Registration, Revocation
from connections.oauth.grants import S256, CodeGrant, RefreshGrant
from connections.resources import is_here
from marketplace.api.links import base_url
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.decorators import check_rate
from marketplace.ratelimits.windows import Caller


class OAuthServer(AuthorizationServer):
    """It belongs to one request, because the issuer is the base URL of that request."""

    def __init__(self, request):
        super().__init__()
        self.request, self.issuer = request, base_url(request)
        self.register_grant(CodeGrant, [S256(required=True)])
        self.register_grant(RefreshGrant)
        self.register_endpoint(Revocation)
        self.register_endpoint(Registration)

    def query_client(self, client_id):
        row = OAuthClient.objects.of_id(client_id)
        return None if row is None or row.blocked_at else RegisteredClient(row)

    def authenticate_client(self, request, methods, endpoint="token"):
        """The client that the request names; it has no secret. Its requests are counted.

        A client that staff have blocked gets another error than an unknown one. After
        `unauthorized_client`, too, it would register itself again.
        """
        row = OAuthClient.objects.of_id(request.payload.client_id)
        if row is None:
            raise InvalidClientError("The client is not registered here", status_code=401)
        # By address, too: anybody may name a client, whose ID is in the address of a page.
        check_rate(self.request, "oauth-token", Caller(f"{row.pk} {client_address(self.request)}"))
        if row.blocked_at:
            raise InvalidGrantError("Staff have blocked this client")
        request.auth_method = "none"
        return RegisteredClient(row)

    def get_token_grant(self, request):
        for grant, extensions in self._token_grants:
            if grant.check_token_endpoint(request):
                return with_extensions(grant(request, self), extensions)
        if request.payload.grant_type is None:
            raise InvalidRequestError("Missing 'grant_type' in request.")
        text = "grant_type must be authorization_code or refresh_token"
        raise OAuth2Error(text, error="unsupported_grant_type")

    def check_resources(self, request):
        """Raise invalid_target for tokens that are meant for somebody else (RFC 8707)."""
        values = filter(None, request.payload.datalist.get("resource", []))
        if not all(is_here(self.issuer, value) for value in values):
            text = "resource must be the address of this server, or absent"
            raise OAuth2Error(text, error="invalid_target")

    def token_response(self, request):
        """The response of the token endpoint."""
        try:
            self.check_resources(request)
            return self.create_token_response(request)
        except OAuth2Error as error:
            return self.handle_error_response(request, error)

    def create_oauth2_request(self, request):
        return request

    def create_json_request(self, request):
        return request

    def send_signal(self, name, *args, **kwargs):
        """Nothing listens."""

    def handle_response(self, status, body, headers):
        content = json.dumps(body) if isinstance(body, dict | list) else body
        response = HttpResponse(content, status=status)
        for name, value in headers:
            response[name] = value
        return response

    def handle_error_response(self, request, error):
        if not error.redirect_uri:
            response = super().handle_error_response(request, error)
            if not self.request.headers.get("Authorization", "").lower().startswith("basic "):
                # For this challenge of authlib's, a browser would ask for a password.
                del response["WWW-Authenticate"]
            return response
        details = {"error": error.error, "error_description": error.get_error_description()}
        location = self.address_of_answer(request, error.redirect_uri, **details)
        return self.handle_response(302, "", [("Location", location)])

    def address_of_answer(self, request, redirect_uri, **parameters):
        """Where an answer goes: with the state as it came, and `iss` (RFC 9207).

        Appended, because the client's own query must stay as it is (RFC 6749, 3.1.2).
        """
        states = request.payload.datalist.get("state", [])
        if len(states) == 1:
            parameters["state"] = states[0]
        start = "&" if "?" in redirect_uri else "?"
        return f"{redirect_uri}{start}{urlencode(parameters | {'iss': self.issuer})}"


def with_extensions(grant, extensions):
    for extension in extensions or []:
        extension(grant)
    return grant
