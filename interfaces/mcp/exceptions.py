from rest_framework import status

from marketplace.api.exceptions import ApiError, AuthenticationRequired


class SignInRequired(AuthenticationRequired):
    """A 401 that tells clients how to sign in by OAuth (RFC 9728, 5.1; RFC 6750, 3)."""

    def __init__(self, error, document, scopes):
        super().__init__()
        challenge = f'Bearer {error}resource_metadata="{document}", scope="{scopes}"'
        self.headers = {"WWW-Authenticate": challenge}


class TokenRefused(ApiError):
    """A 401 that clients show to people. They take any other for an invitation to sign in."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = (
        "Your token was refused: it is mistyped, expired, revoked, or you are paused. "
        "Remove the header to search or to register anew."
    )
    when = "A message to `/mcp` has a Bearer token that is not usable."
    remedy = (
        "Read the token again from where you keep it. If that does not help, ask your operator."
    )
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
