"""The project's own checks for `manage.py check --deploy`."""

from django.conf import settings
from django.core import checks


@checks.register(checks.Tags.security, deploy=True)
def proxies_are_trusted(app_configs, **kwargs):
    if settings.TRUSTED_PROXY_COUNT:
        return []
    return [
        checks.Warning(
            "TRUSTED_PROXY_COUNT is 0. Behind a router that ends TLS no request then counts as "
            "HTTPS, and all callers share the address by which registrations are counted.",
            hint="Set it to the number of proxies in front: 1 on a PaaS.",
            id="marketplace.W001",
        )
    ]
