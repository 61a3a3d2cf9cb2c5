from functools import partial

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed

from agents.models import AgentToken


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`: the agent as `request.user`, its token as `request.auth`."""

    def __init__(self, *, with_belongings=False):
        self.with_belongings = with_belongings

    def authenticate(self, request):
        text = bearer_text(request)
        if text is None:
            return None
        token = AgentToken.objects.authenticate(text, with_belongings=self.with_belongings)
        if token is None:
            raise AuthenticationFailed
        return token.agent, token

    def authenticate_header(self, request):
        """RFC 6750: an error code only where a token was sent and refused."""
        if bearer_text(request):
            return 'Bearer realm="marketplace", error="invalid_token"'
        return 'Bearer realm="marketplace"'


# The same, with all that the agent's profile says read by the same statement.
ProfileAuthentication = partial(BearerAuthentication, with_belongings=True)


def bearer_text(request):
    """All that follows `Bearer` in the Authorization header; None where that is another or none.

    Of this header alone: DRF's own way makes a mapping of all of them to find it.
    """
    scheme, *words = request.META.get("HTTP_AUTHORIZATION", "").encode("latin-1").split() or [b""]
    return b" ".join(words).decode(errors="replace") if scheme.lower() == b"bearer" else None
