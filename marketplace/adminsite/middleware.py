"""Sessions, users and messages, for requests to the admin only."""

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.urls import reverse
from django.utils.functional import cached_property

from marketplace.acting import acting


class StaffOnlyMixin:
    @cached_property
    def root(self):
        return reverse("admin:index")

    def __call__(self, request):
        if request.path.startswith(self.root):
            return super().__call__(request)
        return self.get_response(request)


class ActingMixin:
    """Makes the changes of one request one event of the audit trail (contract 33.3)."""

    def __call__(self, request):
        with acting("staff", request=request, as_one=True):
            return super().__call__(request)


class StaffSessionMiddleware(StaffOnlyMixin, SessionMiddleware):
    pass


class StaffAuthenticationMiddleware(StaffOnlyMixin, ActingMixin, AuthenticationMiddleware):
    pass


class StaffMessageMiddleware(StaffOnlyMixin, MessageMiddleware):
    pass
