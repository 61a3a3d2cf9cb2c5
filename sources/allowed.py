"""What a deployer allows sources: the hosts in SOURCE_HOSTS, and the tokens that are for them."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from marketplace.addresses import DEFAULT_PORTS, FORM, checked

validate_token_variable = RegexValidator(
    r"\ASOURCE_TOKEN_[A-Za-z0-9_]+\Z",
    "Write the name of an environment variable that begins with SOURCE_TOKEN_.",
)


def check_url(url):
    """Raises ValidationError, with one sentence, for a repository that may not be fetched.

    The host must be in SOURCE_HOSTS with its port, unless that is the scheme's own.
    """
    host, port = checked(url)
    listed, (scheme, _, path, *_) = f"{host}:{port}", urlsplit(url)
    if not path.strip("/"):
        raise ValidationError(FORM)
    if listed not in {with_port(name, scheme) for name in settings.SOURCE_HOSTS}:
        raise ValidationError(f"SOURCE_HOSTS does not list {listed}.")


def with_port(host, scheme):
    name, _, port = host.lower().partition(":")
    return f"{name}:{port or DEFAULT_PORTS[scheme]}"
