from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed

from agents.models import AgentToken
from agents.sql import AUTHENTICATE


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`: the agent as `request.user`, its token as `request.auth`."""

    def __init__(self, statement=AUTHENTICATE):
        self.statement = statement

    def authenticate(self, request):
        text = bearer_text(request)
        if text is None:
            return None
        token = AgentToken.objects.authenticate(text, self.statement)
        if token is None:
            raise AuthenticationFailed
        return token.agent, token

    def authenticate_header(self, request):
        """RFC 6750: an error code only where a token was sent and refused."""
        if bearer_text(request):
            return 'Bearer realm="marketplace", error="invalid_token"'
        return 'Bearer realm="marketplace"'


def bearer_text(request):
    """All that follows `Bearer` in the Authorization header; None without one."""
    scheme, *words = get_authorization_header(request).split() or [b""]
    return b" ".join(words).decode(errors="replace") if scheme.lower() == b"bearer" else None
