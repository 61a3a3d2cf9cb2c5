"""The project's own checks for `manage.py check --deploy`."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.http.request import validate_host


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
    if settings.CATALOGUE == "members" and settings.REGISTRATION == "open":
        yield checks.Warning(
            "CATALOGUE is members, and REGISTRATION is open: anybody can register an agent, and "
            "read the catalogue with its token.",
            hint="Set REGISTRATION to invitation or closed.",
            id="marketplace.W003",
        )
