from authlib.oauth2.rfc6749 import ClientMixin

from marketplace.api.scopes import DEFAULT_SCOPES


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
