"""A code and a refresh token become an access token."""

import logging
import re

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    AccessDeniedError,
    AuthorizationCodeMixin,
    InvalidGrantError,
    InvalidRequestError,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7636.challenge import CODE_VERIFIER_PATTERN, compare_s256_code_challenge

from connections.exceptions import GrantRefused
from connections.models import AuthorizationCode, Connection
from connections.oauth.clients import known_scopes

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # 256 bits in base64url

logger = logging.getLogger(__name__)


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
    code, is_own = None, False

    @classmethod
    def check_authorization_endpoint(cls, request):
        return True

    @staticmethod
    def validate_no_multiple_request_parameter(request):
        """Do nothing: here it is not known yet where the error may go."""

    @staticmethod
    def validate_authorization_redirect_uri(request, client):
        names = ("client_id", "redirect_uri")
        is_one = all(len(request.payload.datalist.get(name, [])) == 1 for name in names)
        redirect_uri = request.payload.redirect_uri
        if not is_one or not client.check_redirect_uri(redirect_uri):
            raise InvalidRequestError("redirect_uri must be one that the client has registered")
        return redirect_uri

    def validate_requested_scope(self):
        """No scope is refused. This is the first check whose error goes to the client."""
        payload = self.request.payload
        for name in ("response_type", "scope", "state"):
            if len(payload.datalist.get(name, [])) > 1:
                raise InvalidRequestError(f"{name} must be sent once")
        if not payload.response_type:
            raise InvalidRequestError("Missing 'response_type' in request.")
        if payload.response_type != "code":
            text = "response_type must be code"
            raise OAuth2Error(text, error="unsupported_response_type")
        self.server.check_resources(self.request)

    def create_authorization_response(self, redirect_uri, grant_user):
        """The redirect with the code whose text is `grant_user`; None is the person's refusal."""
        if grant_user is None:
            text = "The person denied the connection"
            raise AccessDeniedError(text, redirect_uri=redirect_uri)
        location = self.server.address_of_answer(self.request, redirect_uri, code=grant_user)
        return 302, "", [("Location", location)]

    def query_authorization_code(self, code, client):
        self.code = AuthorizationCode.objects.of_text(code)
        self.is_own = self.code is not None and self.code.client_id == client.row.pk
        return IssuedCode(self.code) if self.is_own else None

    def validate_token_request(self):
        try:
            super().validate_token_request()
        except OAuth2Error as error:
            # Wrong are a verifier or an address. A missing verifier may follow.
            is_wrong = self.is_own and isinstance(error, InvalidGrantError)
            if self.code is not None and (is_wrong or self.code.spent_at is not None):
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
    except GrantRefused as refused:
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
