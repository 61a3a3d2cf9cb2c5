"""Pages respond in HTML, every other view in JSON (contract 1.6). A page's view says so."""

from django.urls import Resolver404, resolve


def page(view):
    """Mark a view function, or the `dispatch` of a view class, as a page."""
    view.is_page = True
    return view


def is_page(request):
    match = resolver_match(request)
    return match is not None and (is_admin(match) or hasattr(match.func, "is_page"))


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
    if request.resolver_match is None:
        try:
            return resolve(request.path_info)
        except Resolver404:
            return None
    return request.resolver_match
