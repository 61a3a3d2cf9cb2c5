"""Pages respond in HTML, every other view in JSON (contract 1.6). A page's view says so."""

import re
from functools import lru_cache
from urllib.parse import unquote_plus

from django.urls import Resolver404, resolve

from marketplace.access import view_class_of

# Addresses that programs request, whether or not there is anything.
MACHINE = re.compile(
    r"/(?:api|git|mcp|static|suggest|healthz|readyz|metrics)(?:/|\Z)|.*/\.well-known(?:/|\Z)",
    re.DOTALL | re.IGNORECASE,
)
API = "/api/"


def page(view):
    """Mark a view function, or the `dispatch` of a view class, as a page."""
    view.is_page = True
    return view


def is_page(request):
    """Whether the response is for a person. At an unknown address it is, if a browser asks."""
    match = resolver_match(request)
    if match is None:
        kinds = ["application/json", "text/html"]
        is_browser = request.get_preferred_type(kinds) == "text/html"
        return is_browser and not MACHINE.match(request.path_info)
    return is_admin(match) or hasattr(match.func, "is_page")


def has_method(view, method):
    """Whether the view responds to the method; any function does."""
    if not hasattr(view, "view_class"):
        return True
    name = "get" if method == "HEAD" else method.lower()  # as Django's views do
    return name in view.view_class.http_method_names and hasattr(view.view_class, name)


def is_admin(match):
    return match is not None and match.app_name == "admin"


def resolver_match(request):
    """The match of the request's path, or None if the URLconf has no such path.

    Django resolves the path after all middleware. For a response from an earlier layer, this
    resolves it.
    """
    return request.resolver_match or match_of(request.path_info)


def match_of(path):
    try:
        return resolve(path)
    except Resolver404:
        return None


@lru_cache(maxsize=1000)  # a cached page is served in less time than its path is resolved
def parameters_at(path):
    """The names of the query parameters that the view at a path knows; None if it does not say."""
    match = None if path.startswith(API) else match_of(path)
    if match is None:
        return None
    return getattr(view_class_of(match.func) or match.func, "parameters", None)


def drop_unknown_parameters(environ, path):
    """Take out of the query string what the view does not know, if it says what it knows.

    So `utm_source` changes no page, and is no part of a cache key (contract 2.9).
    """
    query = environ.get("QUERY_STRING")
    known = parameters_at(path) if query else None
    if known is not None:
        pairs = query.split("&")
        environ["QUERY_STRING"] = "&".join(
            pair for pair in pairs if unquote_plus(pair.partition("=")[0]) in known
        )


class PageParametersMiddleware:
    """Comes before the response cache, whose key contains the query string."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        drop_unknown_parameters(request.META, request.path_info)
        return self.get_response(request)
