"""The addresses to which a client may have its codes sent (contract 35.12)."""

import re
from urllib.parse import urlsplit

from connections.exceptions import InvalidRedirectUri

MAX_LENGTH = 2000
LOOPBACK = ("127.0.0.1", "[::1]", "localhost")
# Printable ASCII without what no URI holds, a fragment and wildcards.
REST = r"[!$%&'()+,\-./0-9:;=?@A-Z_a-z~\[\]]*"
HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
URI = re.compile(rf"(?P<scheme>https?)://{HOST}(?P<port>:[0-9]{{1,5}})?(?P<rest>(?:[/?]{REST})?)")


def parsed(uri):
    """The match of an address that may be registered. Raises InvalidRedirectUri."""
    match = URI.fullmatch(uri) if len(uri) <= MAX_LENGTH else None
    if match is None or not has_port(match):
        raise InvalidRedirectUri(
            "Each of redirect_uris must be an https address, or http to 127.0.0.1, [::1] or "
            "localhost, without a fragment, a user, a wildcard or a blank"
        )
    if match["scheme"] == "http" and match["host"] not in LOOPBACK:
        raise InvalidRedirectUri(
            "http is for 127.0.0.1, [::1] and localhost: use https for all other hosts"
        )
    return match


def has_port(match):
    try:
        urlsplit(match[0]).port  # noqa: B018, which raises
    except ValueError:
        return False
    return True


def is_loopback(uri):
    """Whether an app on the person's own computer listens there."""
    return urlsplit(uri).hostname in {"127.0.0.1", "::1", "localhost"}


def host_of(uri):
    """The host with its port, as the consent page shows it."""
    return urlsplit(uri).netloc


def matches(registered, uri):
    """Whether a client that registered one may use the other: the same text, but for the port of
    an app on the person's computer, which the system chooses when it starts (RFC 8252, 7.3).
    """
    if registered == uri:
        return True
    first, second = URI.fullmatch(registered), URI.fullmatch(uri)
    if first is None or second is None or first["scheme"] != "http":
        return False
    parts = ("scheme", "host", "rest")
    is_same = all(first[part] == second[part] for part in parts)
    # With its port, it may be too long to be stored with a code.
    return is_same and has_port(second) and len(uri) <= MAX_LENGTH
