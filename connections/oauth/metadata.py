from django.urls import reverse

from marketplace.api.scopes import DEFAULT_SCOPES


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
