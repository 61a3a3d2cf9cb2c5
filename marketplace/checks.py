"""The project's own checks for `manage.py check --deploy`."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.http.request import validate_host

from marketplace.features import has_connectors

LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}


@checks.register(checks.Tags.security, deploy=True)
def deployment_is_safe(**kwargs):
    if not settings.TRUSTED_PROXY_COUNT:
        yield checks.Warning(
            "TRUSTED_PROXY_COUNT is 0. Behind a router that terminates TLS, no request counts as "
            "HTTPS, and the limits by address count all callers as one.",
            hint="Set it to the number of proxies in front: 1 on a PaaS.",
            id="marketplace.W001",
        )
    host = urlsplit(settings.PUBLIC_URL).hostname
    if host and not validate_host(host, settings.ALLOWED_HOSTS):
        yield checks.Warning(
            f"The host of PUBLIC_URL, {host}, is not in ALLOWED_HOSTS. Unless a proxy changes the "
            "Host header, every request to it gets 400.",
            hint="Add it to ALLOWED_HOSTS.",
            id="marketplace.W002",
        )
    if has_connectors() and not settings.REQUIRE_HTTPS and not is_loopback():
        yield checks.Error(
            "OAUTH is true, and REQUIRE_HTTPS is false: codes and tokens travel in the clear.",
            hint="Leave out REQUIRE_HTTPS, or serve this machine alone.",
            id="marketplace.E001",
        )
    if settings.CATALOGUE == "members" and settings.REGISTRATION == "open":
        yield checks.Warning(
            "CATALOGUE is members, and REGISTRATION is open: anybody can register an agent, and "
            "read the catalogue with its token.",
            hint="Set REGISTRATION to invitation or closed.",
            id="marketplace.W003",
        )


def is_loopback():
    """Whether the server responds to nobody but this machine."""
    host = urlsplit(settings.PUBLIC_URL).hostname
    return {*settings.ALLOWED_HOSTS, *([host] if host else [])} <= LOOPBACK
