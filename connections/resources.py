"""The resources for which this server issues tokens (contract 35.3, RFC 8707 and 9728)."""

import re

from django.urls import reverse

from marketplace import access
from marketplace.api.scopes import DEFAULT_SCOPES

ORIGIN = re.compile(r"[A-Za-z]+://[^/?#]*")


def is_here(base, resource):
    """Whether a client may name the address as the `resource`.

    A slash at its end and the case of its scheme and host make no difference.
    """
    members = [] if access.is_public() else [base + reverse("mcp")]
    ours = {base, base + reverse("mcp-oauth"), *members}
    return normalized(resource) in map(normalized, ours)


def normalized(address):
    return ORIGIN.sub(lambda origin: origin[0].lower(), address.removesuffix("/"), count=1)


def document(base, view):
    """The metadata of the protected resource at a view (RFC 9728)."""
    return {
        "resource": base + reverse(view),
        "authorization_servers": [base],
        "scopes_supported": [*DEFAULT_SCOPES],
        "bearer_methods_supported": ["header"],
    }
