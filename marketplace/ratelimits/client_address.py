"""The client's address, read from X-Forwarded-For only as far as the deployment trusts it."""

import ipaddress

from django.conf import settings


def client_address(request):
    """The client's network as text: an IPv4 address, or the /64 of an IPv6 address."""
    return address_of(request.META)


def address_of(environ):
    """The same, of a WSGI environment.

    With TRUSTED_PROXY_COUNT = N it is the N-th entry from the right of X-Forwarded-For; the client
    can write any entry further left. Never raises: an unreadable entry falls back to the address
    of the connection.
    """
    connection = environ.get("REMOTE_ADDR", "")
    addresses = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    proxies = settings.TRUSTED_PROXY_COUNT
    if 0 < proxies <= len(addresses):
        return _network(addresses[-proxies]) or _network(connection) or "unknown"
    return _network(connection) or "unknown"


def _network(text):
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    # One IPv6 client usually owns a whole /64.
    return str(ipaddress.ip_network((address, 64), strict=False))
