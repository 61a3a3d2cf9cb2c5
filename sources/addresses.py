"""Which repositories the server may fetch: SOURCE_HOSTS is the rule (contract 30)."""

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from marketplace.fetching import DEFAULT_PORTS, LOOPBACK

# A whole URL without a user, a password, a query or a fragment.
ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+(:[0-9]{1,5})?/[\w.~!$&'()*+,;=:@%/-]+", re.ASCII | re.IGNORECASE
)


def check_address(url):
    """Raises ValidationError, with one sentence, for a repository that may not be fetched.

    The host must be in SOURCE_HOSTS with its port, unless that is the scheme's own.
    """
    if not ADDRESS.fullmatch(url):
        raise ValidationError(
            "Write an address such as https://git.example.com/team/skills.git, without a password."
        )
    parts = urlsplit(url)
    try:
        port = DEFAULT_PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:
        raise ValidationError("Write a port from 1 to 65535.") from error
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ValidationError("Use https. Only 127.0.0.1 and localhost may have http.")
    listed = f"{parts.hostname}:{port}"
    if listed not in {with_port(host, parts.scheme) for host in settings.SOURCE_HOSTS}:
        raise ValidationError(f"SOURCE_HOSTS does not list {listed}.")


def with_port(host, scheme):
    name, _, port = host.lower().partition(":")
    return f"{name}:{port or DEFAULT_PORTS[scheme]}"
