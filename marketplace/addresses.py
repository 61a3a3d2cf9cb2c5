"""Which addresses of other servers staff may name: https, or http on this machine.

Git repositories and issuers of tokens have them.
"""

import re
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

LOOPBACK = ["127.0.0.1", "localhost"]  # the only hosts that may have http
DEFAULT_PORTS = {"https": 443, "http": 80}
# A whole URL without a user, a password, a query or a fragment.
ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[\w.~!$&'()*+,;=:@%/-]*)?", re.ASCII | re.IGNORECASE
)
FORM = "Write an address such as https://git.example.com/team, without a password."
# The scheme and the host, for PostgreSQL, which takes no URL apart.
IN_SQL = rf"^(https://[^/]|http://({'|'.join(map(re.escape, LOOPBACK))})([:/]|$))"


def checked(url):
    """`(host, port)` of an address. Raises ValidationError, with one sentence."""
    if not ADDRESS.fullmatch(url):
        raise ValidationError(FORM)
    parts = urlsplit(url)
    try:
        port = DEFAULT_PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:
        raise ValidationError("Write a port from 1 to 65535.") from error
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ValidationError("Use https. Only 127.0.0.1 and localhost may have http.")
    return parts.hostname, port
