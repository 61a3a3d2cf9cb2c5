"""Sessions, users and messages for requests to the admin; no other request pays for them."""

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware

from marketplace.middleware.pages import is_admin


class StaffOnlyMixin:
    """Runs Django's middleware once the view is known, and only for the admin's."""

    def process_request(self, request):
        pass

    def process_view(self, request, view, args, kwargs):
        if is_admin(request.resolver_match):
            super().process_request(request)


class StaffSessionMiddleware(StaffOnlyMixin, SessionMiddleware):
    pass


class StaffAuthenticationMiddleware(StaffOnlyMixin, AuthenticationMiddleware):
    pass


class StaffMessageMiddleware(StaffOnlyMixin, MessageMiddleware):
    pass
