"""The one rule for reading the catalogue; every view, tool and page uses it (contract 26.5).

With CATALOGUE=public everyone may read. With CATALOGUE=members a reader needs a usable token with
the scope `read`. On pages, and for the files that they link to, being signed in is enough.
"""

from enum import Enum, auto
from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission

from marketplace.api.exceptions import InsufficientScope
from marketplace.api.scopes import Scope, check_scope

# For members' responses: each reader asks again, and no cache in between keeps them.
PRIVATE = "private, no-cache"
REFUSALS = (NotAuthenticated, AuthenticationFailed, InsufficientScope)


class Audience(Enum):
    """The callers of a view. Each view names one, or the URLconf does not load."""

    EVERYONE = auto()  # names no entry, whatever the catalogue contains
    READERS = auto()  # may name entries, and applies the rule
    OUTSIDERS = auto()  # announces entries to the public; a members-only catalogue has none
    AGENTS = auto()  # the caller's own data: HasScope requires its scope
    OPERATORS = auto()  # the operator's own data, behind the console's log-in


def is_public():
    return settings.CATALOGUE == "public"


def needs_token(request, *, for_people):
    return not (is_public() or (for_people and is_signed_in(request)))


def check_reader(request, token, *, for_people=False, scope=Scope.READ):
    """Raise NotAuthenticated or InsufficientScope if this request may not read the catalogue.

    `token` is the request's usable one, or None. A session counts if the view is `for_people`.
    """
    if needs_token(request, for_people=for_people):
        check_scope(token, scope)


def check_request(request, *, for_people=False):
    """The same outside the API's views. Also raises AuthenticationFailed."""
    # The session first: a proxy's own `Authorization` must not refuse a person who is signed in.
    if needs_token(request, for_people=for_people):
        result = authenticator().authenticate(request)  # raises for an unusable token
        check_reader(request, result and result[1])


def may_read(request, *, for_people=False):
    """Whether this request may read the catalogue."""
    try:
        check_request(request, for_people=for_people)
    except REFUSALS:
        return False
    return True


@cache
def authenticator():
    return import_string(settings.READER_AUTHENTICATION)()


def is_signed_in(request):
    return any(is_open(request) for is_open in sessions())


@cache
def sessions():
    """The functions that say whether a request has an open session, one for each kind."""
    return [import_string(path) for path in settings.READER_SESSIONS]


class MayRead(BasePermission):
    """The rule as a DRF permission."""

    def has_permission(self, request, view):
        for_people = view.action in view.actions_for_people
        check_reader(request, request.auth, for_people=for_people)
        return True


def keep_private(response):
    """Keep every cache from serving a reader's response to others."""
    if response.status_code < 400:
        response["Cache-Control"] = PRIVATE
    if hasattr(response, "validators"):
        response.validators = [None]  # not in this process's cache either
    return response


def for_everyone(view):
    """Mark a view function that names no entry."""
    view.audience = Audience.EVERYONE
    return view


def for_readers(view):
    """Mark a function that may name entries, and applies the rule."""
    view.audience = Audience.READERS
    return view


class AsksReaders:
    """Marks the base of views that apply the rule before they respond."""


def view_class_of(view):
    """The class of a view in the URLconf, which Django and DRF name differently; or None."""
    return getattr(view, "cls", None) or getattr(view, "view_class", None)


def audience_of(view):
    """The Audience of a view in the URLconf, or of an MCP handler.

    Raises ImproperlyConfigured if it names none, or if it should apply the rule and does not.
    """
    view_class = view_class_of(view)
    name = (view_class or view).__name__
    audience = getattr(view, "audience", None) or getattr(view_class, "audience", None)
    if not isinstance(audience, Audience):
        raise ImproperlyConfigured(f"{name} names no audience: see marketplace/access.py.")
    is_asked = audience in {Audience.READERS, Audience.OUTSIDERS}
    if is_asked and view_class and not issubclass(view_class, AsksReaders):
        raise ImproperlyConfigured(f"{name} does not ask who reads: see AsksReaders.")
    return audience


def check_urls(patterns):
    """Raise ImproperlyConfigured if a view names no audience. The admin has its own log-in."""
    for pattern in patterns:
        if getattr(pattern, "app_name", None) == "admin":
            continue
        if hasattr(pattern, "url_patterns"):
            check_urls(pattern.url_patterns)
        else:
            audience_of(pattern.callback)
