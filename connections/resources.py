"""The resources for which this server issues tokens (contract 35.3, RFC 8707 and 9728)."""

from django.urls import reverse

from marketplace import access
from marketplace.api.scopes import DEFAULT_SCOPES

PREFIX = "/.well-known/oauth-protected-resource"


def resources(base):
    """The addresses that a client may name as the `resource`, without a slash at the end."""
    members = [] if access.is_public() else [base + reverse("mcp")]
    return {base, base + reverse("mcp-oauth"), *members}


def document(base, view):
    """The metadata of the protected resource at a view (RFC 9728)."""
    return {
        "resource": base + reverse(view),
        "authorization_servers": [base],
        "scopes_supported": [*DEFAULT_SCOPES],
        "bearer_methods_supported": ["header"],
    }
