"""The sessions of staff, outside of the admin's own pages."""

from importlib import import_module

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user
from django.http import HttpRequest


def is_signed_in(request):
    """Whether the request has the session of somebody who may open the admin."""
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return False
    # A request of its own: to other pages the session is nothing that they could change.
    visitor = HttpRequest()
    visitor.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    visitor.user = get_user(visitor)
    return admin.site.has_permission(visitor)
