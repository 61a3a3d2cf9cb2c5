from http import HTTPMethod

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import MiddlewareNotUsed
from django.shortcuts import render
from django.urls import reverse

from marketplace import access
from marketplace.access import Audience
from marketplace.adminsite.sessions import visitor_of
from marketplace.middleware.pages import resolver_match
from people.sessions import is_due


class LookAgainMiddleware:
    """Asks the provider again about people whose last look is 15 minutes old (contract 32.10).

    No other part sees such a session.
    """

    def __init__(self, get_response):
        if not settings.OIDC_ISSUER:
            raise MiddlewareNotUsed
        # With authlib, which takes a while to import, and is not needed without a provider.
        from people.views import begin  # noqa: PLC0415

        self.begin, self.get_response = begin, get_response
        self.admin, self.log_in = reverse("admin:index"), reverse("admin:login")
        self.without_look = (reverse("sign-in"), reverse("admin:logout"))

    def __call__(self, request):
        if not self.must_look(request):
            return self.get_response(request)
        if request.path.startswith(self.log_in):
            # Without this session, so that a password works while the provider is down.
            request.user = AnonymousUser()
            return self.get_response(request)
        return self.look(request)

    def must_look(self, request):
        if request.path.startswith(self.admin):
            return not request.path.startswith(self.without_look) and is_due(request.session)
        # There the cookie of a public catalogue is not sent.
        visitor = None if access.is_public() else visitor_of(request)
        return visitor is not None and is_due(visitor.session)

    def look(self, request):
        is_admin = request.path.startswith(self.admin)
        if not is_admin and self.needs_no_look(request):
            return self.get_response(request)
        if is_visit(request):
            return self.begin(request, request.get_full_path(), is_silent=True)
        if is_admin:
            return render(request, "people/look_again.html", status=403)
        return self.get_response(request)  # a program's request, without the session

    def needs_no_look(self, request):
        """Whether a page needs no session, or another one opens it; from then on without this one.

        So operators get in with their key while the provider is down.
        """
        match = resolver_match(request)
        audience = match and access.audience_of(match.func)
        if audience is Audience.OPERATORS:
            return True  # Their log-in names who has signed in, to whom it opens nothing.
        del request.COOKIES[settings.SESSION_COOKIE_NAME]
        return audience is not Audience.READERS or access.may_read(request, for_people=True)


def is_visit(request):
    """Whether a browser opens a page, and not a script of it."""
    is_read = request.method in {HTTPMethod.GET, HTTPMethod.HEAD}
    return is_read and request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
