from functools import cache

from django.conf import settings
from django.urls import get_resolver


def base_url(request):
    """The beginning of every complete URL in a response: PUBLIC_URL, or the requested host."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


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
