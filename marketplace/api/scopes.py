from django.core.exceptions import ImproperlyConfigured
from django.db import models
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission

from marketplace.api.exceptions import InsufficientScope
from marketplace.features import has_submissions


class Scope(models.TextChoices):
    """What a token may do (contract 4.2)."""

    READ = "read"
    INSTALL = "install"
    REVIEW = "review"
    CLONE = "clone"  # opens git and nothing else; READ includes it
    SUBMIT = "submit"  # proposes texts, where SUBMISSIONS lets agents do that


# The scopes of a token if nobody chooses any.
DEFAULT_SCOPES = (Scope.READ, Scope.INSTALL, Scope.REVIEW)


def known_scopes():
    """The scopes of this marketplace."""
    return [scope for scope in Scope if scope != Scope.SUBMIT or has_submissions()]


def scope_choices():
    return [(scope.value, scope.label) for scope in known_scopes()]


def allows(scopes, scope):
    """Whether these scopes allow what the scope allows."""
    return scope in scopes or (scope == Scope.CLONE and Scope.READ in scopes)


def check_scope(token, scope):
    """Raise NotAuthenticated without a token, or InsufficientScope if it does not allow this."""
    if token is None:
        raise NotAuthenticated
    if not allows(token.scopes, scope):
        raise InsufficientScope(scope)


class HasScope(BasePermission):
    """Closed by default: a view that names no scope is an error."""

    def has_permission(self, request, view):
        scopes = view.scopes
        if None in scopes:
            raise ImproperlyConfigured(f"{type(view).__name__} names no required_scope.")
        held = [scope for scope in scopes if request.auth and allows(request.auth.scopes, scope)]
        check_scope(request.auth, (held or scopes)[0])
        return True
