from django.core.exceptions import ImproperlyConfigured
from django.db import models
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission

from marketplace.api.exceptions import InsufficientScope


class Scope(models.TextChoices):
    """What a token may do (contract 4.2)."""

    READ = "read"
    INSTALL = "install"
    REVIEW = "review"
    CLONE = "clone"  # opens git and nothing else; READ includes it


# The scopes of a token if nobody chooses any.
DEFAULT_SCOPES = (Scope.READ, Scope.INSTALL, Scope.REVIEW)


def allows(scopes, scope):
    """Whether these scopes allow what the scope allows, and may grant it to another token."""
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
        scope = getattr(view, "required_scope", None)
        if scope is None:
            raise ImproperlyConfigured(f"{type(view).__name__} names no required_scope.")
        check_scope(request.auth, scope)
        return True
