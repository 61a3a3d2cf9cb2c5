"""authlib's authorization server on our rows (contract 35). Only this module imports it.

A Server belongs to one request, because the issuer is the base URL of that request. Descriptions
of errors are fixed texts: authlib raises ValueError for characters that RFC 6749 excludes.
"""

import json
import logging
import re
import time

from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import AuthorizationServer, JsonRequest, OAuth2Error, OAuth2Request
from authlib.oauth2.rfc6749 import (
    AuthorizationCodeMixin,
    ClientMixin,
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    UnauthorizedClientError,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc6749.requests import JsonPayload, OAuth2Payload
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7591 import (
    ClientRegistrationEndpoint,
    InvalidClientMetadataError,
    InvalidRedirectURIError,
)
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7636.challenge import CODE_VERIFIER_PATTERN, compare_s256_code_challenge
from django.http import HttpResponse
from django.urls import reverse

from connections import registration
from connections.exceptions import InvalidMetadata, InvalidRedirectUri, Refused
from connections.models import AuthorizationCode, Connection, OAuthClient
from connections.resources import resources
from marketplace.api.links import base_url
from marketplace.api.scopes import DEFAULT_SCOPES
from marketplace.ratelimits.decorators import check_rate
from marketplace.ratelimits.windows import Caller

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # 256 bits in base64url

logger = logging.getLogger(__name__)


class Parameters(OAuth2Payload):
    """`{name: [values]}` as authlib reads it."""

    def __init__(self, values):
        self.values = values

    @property
    def data(self):
        return {name: values[0] for name, values in self.values.items() if values}

    @property
    def datalist(self):
        return self.values


class OAuthRequest(OAuth2Request):
    """The checked parameters of a request, `{name: [values]}`."""

    def __init__(self, method, parameters):
        # authlib refuses http even on this machine. RequireHttpsMiddleware has decided that.
        super().__init__(method, "https://localhost")
        self.payload = Parameters(parameters)

    @property
    def form(self):
        return self.payload.data


class JsonOAuthRequest(JsonRequest):
    """The checked JSON of a request."""

    def __init__(self, body):
        super().__init__("POST", "https://localhost")
        self.payload = JsonBody(body)


class JsonBody(JsonPayload):
    def __init__(self, data):
        self.body = data

    @property
    def data(self):
        return self.body


class RegisteredClient(ClientMixin):
    """An OAuthClient as authlib asks it."""

    def __init__(self, row):
        self.row = row

    def check_redirect_uri(self, redirect_uri):
        return self.row.allows(redirect_uri)

    def check_grant_type(self, grant_type):
        return True

    def check_response_type(self, response_type):
        return True  # CodeGrant checks it, once it knows where the error may go.

    def get_allowed_scope(self, scope):
        return " ".join(known_scopes(scope))


def known_scopes(text):
    """Those of the requested scopes that a connection may have; all of them if there are none."""
    words = (text or "").split()
    return [scope.value for scope in DEFAULT_SCOPES if scope in words] or [*DEFAULT_SCOPES]


class S256(CodeChallenge):
    """PKCE, always, with the one method."""

    def validate_code_challenge(self, grant, redirect_uri):
        data, datalist = grant.request.payload.data, grant.request.payload.datalist
        names = ("code_challenge", "code_challenge_method")
        if any(len(datalist.get(name, [])) != 1 for name in names):
            raise InvalidRequestError("code_challenge and code_challenge_method are required, once")
        if data["code_challenge_method"] != "S256":
            raise InvalidRequestError("code_challenge_method must be S256")
        if not CHALLENGE.fullmatch(data["code_challenge"]):
            raise InvalidRequestError("code_challenge must be 43 characters of base64url")

    def validate_code_verifier(self, grant, result):
        verifier = grant.request.form.get("code_verifier")
        if not verifier:
            raise InvalidRequestError("Missing 'code_verifier' in request.")
        is_right = CODE_VERIFIER_PATTERN.fullmatch(verifier) and compare_s256_code_challenge(
            verifier, grant.code.code_challenge
        )
        if not is_right:
            raise InvalidGrantError("code_verifier is another one")


class IssuedCode(AuthorizationCodeMixin):
    """An AuthorizationCode as authlib asks it."""

    def __init__(self, row):
        self.row = row

    def get_redirect_uri(self):
        return self.row.redirect_uri


class CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    code = None

    @classmethod
    def check_authorization_endpoint(cls, request):
        return True

    @staticmethod
    def validate_authorization_redirect_uri(request, client):
        redirect_uri = request.payload.redirect_uri
        if not redirect_uri or not client.check_redirect_uri(redirect_uri):
            raise InvalidRequestError("redirect_uri must be one that the client has registered")
        return redirect_uri

    def validate_authorization_request(self):
        redirect_uri = super().validate_authorization_request()
        if self.request.payload.response_type != "code":
            raise OAuth2Error(
                "response_type must be code",
                error="unsupported_response_type",
                redirect_uri=redirect_uri,
            )
        self.server.check_resources(self.request, redirect_uri)
        return redirect_uri

    def create_authorization_response(self, redirect_uri, grant_user):
        """The redirect with a code. `grant_user` is the consent: page, key, claim, scopes.

        Raises PageAnswered and TooManyConnections, and AccessDeniedError without a consent.
        """
        self.consent = grant_user
        return super().create_authorization_response(redirect_uri, grant_user)

    def generate_authorization_code(self):
        code = AuthorizationCode.objects.issue(
            **self.consent,
            client=self.request.client.row,
            redirect_uri=self.request.payload.redirect_uri,
            code_challenge=self.request.payload.data["code_challenge"],
        )
        return code.text

    def save_authorization_code(self, code, request):
        """It is stored already."""

    def query_authorization_code(self, code, client):
        row = AuthorizationCode.objects.of_text(code)
        if row is None or row.client_id != client.row.pk:
            return None
        self.code = row
        return IssuedCode(row)

    def validate_token_request(self):
        try:
            super().validate_token_request()
        except InvalidGrantError:  # a wrong verifier, or another address
            if self.code is not None:
                self.code.void()
            raise

    def create_token_response(self):
        return token_response(self, self.code.spend)


class RefreshGrant(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def validate_token_request(self):
        self.request.client = self._validate_request_client()
        if not self.request.form.get("refresh_token"):
            raise InvalidRequestError("Missing 'refresh_token' in request.")

    def create_token_response(self):
        form = self.request.form
        return token_response(
            self,
            Connection.objects.refresh,
            self.request.client.row,
            form["refresh_token"],
            known_scopes(form.get("scope")),
        )


def token_response(grant, get_connection, *arguments):
    """The tokens of the connection. Raises InvalidGrantError; only the log says why."""
    try:
        connection = get_connection(*arguments)
    except Refused as refused:
        logger.info("A client gets no token: %s", refused.reason)
        raise InvalidGrantError("Sign in again, or ask your operator") from refused
    content = {
        "access_token": connection.access_token,
        "token_type": "Bearer",  # nosec B105
        "expires_in": connection.seconds,
        "refresh_token": connection.refresh_token,
        "scope": " ".join(connection.access.scopes),
    }
    return 200, content, grant.TOKEN_RESPONSE_HEADER


class Revocation(RevocationEndpoint):
    """RFC 7009: either token ends the connection."""

    CLIENT_AUTH_METHODS = ["none"]

    def check_params(self, request, client):
        if not request.form.get("token"):
            raise InvalidRequestError("Missing 'token' in request.")

    def query_token(self, token_string, token_type_hint):
        connection = Connection.objects.of_token(token_string)
        return None if connection is None else RevocableToken(connection)

    def revoke_token(self, token, request):
        token.connection.end("Its client revoked it", by=("agent", str(token.agent)))


class RevocableToken:
    def __init__(self, connection):
        self.connection, self.agent = connection, connection.claim.agent

    def check_client(self, client):
        return self.connection.client_id == client.row.pk


class Registration(ClientRegistrationEndpoint):
    """RFC 7591. What it does not know of a client it neither keeps nor shows."""

    def authenticate_token(self, request):
        return True  # Everybody may.

    def extract_client_metadata(self, request):
        try:
            return registration.checked(request.payload.data)
        except InvalidRedirectUri as error:
            raise InvalidRedirectURIError(str(error)) from error
        except InvalidMetadata as error:
            raise InvalidClientMetadataError(str(error)) from error

    def generate_client_info(self, request):
        return {}

    def save_client(self, client_info, client_metadata, request):
        return OAuthClient.objects.register(
            name=client_metadata["client_name"], redirect_uris=client_metadata["redirect_uris"]
        )

    def generate_client_registration_info(self, client, request):
        issued_at = {"client_id_issued_at": int(time.time())}
        return {"client_id": client.public_id, **issued_at}


class Server(AuthorizationServer):
    def __init__(self, request):
        super().__init__()
        self.request, self.issuer = request, base_url(request)
        self.register_grant(CodeGrant, [S256(required=True)])
        self.register_grant(RefreshGrant)
        self.register_endpoint(Revocation)
        self.register_endpoint(Registration)

    def query_client(self, client_id):
        row = OAuthClient.objects.filter(public_id=client_id or "", blocked_at=None).first()
        return None if row is None else RegisteredClient(row)

    def authenticate_client(self, request, methods, endpoint="token"):
        """The client that the request names; it has no secret. Its requests are counted.

        A client that staff have blocked gets another error than an unknown one, which registers
        itself again.
        """
        row = OAuthClient.objects.filter(public_id=request.payload.client_id or "").first()
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


def metadata(base):
    """The metadata of the authorization server (RFC 8414)."""
    return {
        "issuer": base,
        "authorization_endpoint": base + "/operator/connect",
        "token_endpoint": base + reverse("oauth-token"),
        "registration_endpoint": base + reverse("oauth-register"),
        "revocation_endpoint": base + reverse("oauth-revoke"),
        "scopes_supported": [*DEFAULT_SCOPES],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }
