"""A code and a refresh token become an access token."""

import logging
import re

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, InvalidGrantError, InvalidRequestError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7636.challenge import CODE_VERIFIER_PATTERN, compare_s256_code_challenge

from connections.exceptions import Refused
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
