import binascii
from base64 import b64decode

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed

from agents.models import AgentToken
from agents.sql import AUTHENTICATE


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`: the agent as `request.user`, its token as `request.auth`.

    With `takes_basic`, the token may also be the password of Basic (contract 26.7). Arguments
    configure it, not subclasses, because drf-spectacular wants one class for a security scheme.
    """

    def __init__(self, statement=AUTHENTICATE, *, takes_basic=False):
        self.statement, self.takes_basic = statement, takes_basic

    def authenticate(self, request):
        text = self.text_of(request)
        if text is None:
            return None
        token = AgentToken.objects.authenticate(text, self.statement)
        if token is None:
            raise AuthenticationFailed
        return token.agent, token

    def text_of(self, request):
        text = credentials_of(request, b"bearer")
        return basic_password(request) if text is None and self.takes_basic else text

    def authenticate_header(self, request):
        """RFC 6750: an error code only if a token was sent and refused."""
        if self.text_of(request):
            return 'Bearer realm="marketplace", error="invalid_token"'
        return 'Bearer realm="marketplace"'


def reader_authentication():
    """For readers of the catalogue, whose clients may support only Basic.

    Only reads accept Basic: browsers remember a password, and send it with forms that other sites
    submit.
    """
    return BearerAuthentication(takes_basic=True)


def basic_password(request):
    """The password of `Authorization: Basic`, "" if it is unreadable; None without the header."""
    text = credentials_of(request, b"basic")
    if text is None:
        return None
    try:
        _, _, password = b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return ""
    return password


def credentials_of(request, scheme):
    """Everything after the scheme in the Authorization header; None without it."""
    name, *words = get_authorization_header(request).split() or [b""]
    return b" ".join(words).decode(errors="replace") if name.lower() == scheme else None
