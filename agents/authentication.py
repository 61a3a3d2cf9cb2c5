from functools import partial

from rest_framework.authentication import TokenAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed

from agents.models import AgentToken


class BearerAuthentication(TokenAuthentication):
    """`Authorization: Bearer <token>`: the agent as `request.user`, its token as `request.auth`."""

    keyword = "Bearer"

    def __init__(self, *, with_belongings=False):
        self.with_belongings = with_belongings

    def authenticate_credentials(self, key):
        token = AgentToken.objects.authenticate(key, with_belongings=self.with_belongings)
        if token is None:
            raise AuthenticationFailed
        return token.agent, token

    def authenticate_header(self, request):
        """RFC 6750: an error code only where a token was sent and refused."""
        scheme, _, credentials = get_authorization_header(request).strip().partition(b" ")
        if scheme.lower() == b"bearer" and credentials.strip():
            return 'Bearer realm="marketplace", error="invalid_token"'
        return 'Bearer realm="marketplace"'


# The same, with all that the agent's profile says read by the same statement.
ProfileAuthentication = partial(BearerAuthentication, with_belongings=True)
