"""The sessions that the identity provider began, and when it is asked again (contract 32.10)."""

import time

from django.conf import settings
from django.contrib.auth import login, logout

from marketplace.adminsite.sessions import LOOKED_AT, is_of_provider, start_clock, visitor_of
from people.models import Person

BACKEND = "people.backends.ProviderBackend"
ISSUER = "issuer"  # in the session: who began it, or looked last
SECONDS = 15 * 60  # between two looks


def begin(request, user, *, is_silent):
    """Sign the user in; after a look that found the same user, go on with the session."""
    if is_silent and is_over(request.session):
        return
    if is_silent and is_of_provider(request) and request.user == user:
        # Not `login`, which would replace the CSRF token of a form that is to be sent again.
        request.session.cycle_key()
    else:
        login(request, user, BACKEND)
        start_clock(request.session)
    request.session[LOOKED_AT], request.session[ISSUER] = int(time.time()), settings.OIDC_ISSUER


def is_over(session):
    """Whether the session that the browser names was ended, or a look in another tab replaced it.

    It is not loaded, because the response would then delete the cookie of the one that replaced it.
    """
    key = session.session_key
    return key is not None and not session.exists(key)


def end(request):
    """End a session after a look that failed. That of a password goes on."""
    if is_of_provider(request):
        logout(request)


def is_due(session):
    """Whether the provider must be asked again before the session opens anything."""
    if LOOKED_AT not in session:
        return False
    is_old = session[LOOKED_AT] <= time.time() - SECONDS
    return is_old or session.get(ISSUER) != settings.OIDC_ISSUER


def member_of(request):
    """The Person whose session the request has, if that is a member; or None."""
    visitor = visitor_of(request)
    if visitor is None or not is_of_provider(visitor) or visitor.user.pk is None:
        return None
    person = Person.objects.select_related("user").filter(user=visitor.user).first()
    return person if person and person.is_member else None


def is_signed_in(request):
    """Whether the request may read a members-only catalogue as a member (contract 32.13)."""
    return member_of(request) is not None
