"""The sessions of staff: reading them outside the admin, and ending them in every browser."""

from datetime import timedelta
from importlib import import_module

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import SESSION_KEY, get_user, logout
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone

# In a session that the identity provider began: when it was last asked about the person, in
# seconds since the epoch (contract 32.10).
LOOKED_AT = "looked_at"


def is_signed_in(request):
    """Whether the request has the session of somebody who may open the admin."""
    visitor = visitor_of(request)
    return visitor is not None and admin.site.has_permission(visitor)


def is_of_provider(request):
    """Whether the identity provider began the session, which has its own password and factor."""
    return LOOKED_AT in request.session


def visitor_of(request):
    """A request with the user and the session of this one's cookie; None if it has no cookie."""
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    if not hasattr(request, "staff_visitor"):
        # A request of its own, so that other pages cannot change the session.
        visitor = HttpRequest()
        visitor.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
        visitor.user = get_user(visitor)
        request.staff_visitor = visitor
    return request.staff_visitor


def start_clock(session):
    """Let a session end so long after the log-in, even if something is stored in it later."""
    # One second more, because the cookie's age is rounded down.
    session.set_expiry(timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE + 1))


def end_sessions(user):
    """End the user's sessions, in every browser. Staff have few enough to look through all."""
    open_sessions = Session.objects.filter(expire_date__gt=timezone.now())
    own = [
        session.pk
        for session in open_sessions.iterator()
        if session.get_decoded().get(SESSION_KEY) == str(user.pk)
    ]
    Session.objects.filter(pk__in=own).delete()


def end_sessions_view(site, request):
    """GET asks for confirmation; POST ends every session of this person."""
    if request.method == "POST":
        end_sessions(request.user)
        logout(request)
        return redirect("admin:login")
    context = {**site.each_context(request), "title": "End all sessions"}
    return TemplateResponse(request, "admin/end_sessions.html", context)
