from functools import cache

from django.conf import settings
from django.urls import get_resolver
from django.utils.http import url_has_allowed_host_and_scheme

from marketplace.names import has_controls

MAX_ADDRESS = 1000  # characters: proxies refuse responses with longer headers


def base_url(request):
    """The beginning of every complete URL in a response: PUBLIC_URL, or the requested host."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


def local_path(address):
    """The address if it is a path of this site that a log-in may lead back to, otherwise ""."""
    is_here = address.startswith("/") and url_has_allowed_host_and_scheme(address, None)
    return "" if not is_here or has_controls(address) or len(address) > MAX_ADDRESS else address


def path_of(view, **parameters):
    """The path that `reverse` returns, for parameters that need no quoting, such as slugs.

    `reverse` finds the pattern and matches its own result each time. For an install, that takes
    longer than all other fields of the response.
    """
    return f"/{template_of(view) % parameters}"


@cache
def template_of(view):
    """The path of a view, without its first slash, with `%(slug)s` for each parameter."""
    [(template, _names)], *_ = get_resolver().reverse_dict[view]
    return template
