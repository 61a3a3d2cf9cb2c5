import json

from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import AuthorizationServer, OAuth2Error
from authlib.oauth2.rfc6749 import (
    InvalidClientError,
    InvalidRequestError,
    UnauthorizedClientError,
)
from django.http import HttpResponse

from connections.models import OAuthClient
from connections.oauth.clients import RegisteredClient
from connections.oauth.endpoints import Registration, Revocation
from connections.oauth.grants import S256, CodeGrant, RefreshGrant
from connections.resources import resources
from marketplace.api.links import base_url
from marketplace.ratelimits.decorators import check_rate
from marketplace.ratelimits.windows import Caller


class Server(AuthorizationServer):
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

        A client that staff have blocked gets another error than an unknown one, which registers
        itself again.
        """
        row = OAuthClient.objects.of_id(request.payload.client_id)
        if row is None:
            raise InvalidClientError("The client is not registered here", status_code=401)
        check_rate(self.request, "oauth-token", Caller(row.pk))
        if row.blocked_at:
            raise UnauthorizedClientError("Staff have blocked this client")
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

    def check_resources(self, request, redirect_uri=None):
        """Raise invalid_target for tokens that are meant for somebody else (RFC 8707)."""
        values = request.payload.datalist.get("resource", [])
        if not {value.removesuffix("/") for value in values} <= resources(self.issuer):
            text = "resource must be the address of this server, or absent"
            raise OAuth2Error(text, error="invalid_target", redirect_uri=redirect_uri)

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
        if "Location" in response:  # RFC 9207
            location = add_params_to_uri(response["Location"], [("iss", self.issuer)])
            response["Location"] = location
        return response


def with_extensions(grant, extensions):
    for extension in extensions or []:
        extension(grant)
    return grant
