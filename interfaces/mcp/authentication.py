"""Refuses the token of a message, before the message is read (contract 34.40)."""

from django.db import Error
from rest_framework.exceptions import AuthenticationFailed

from agents.authentication import BearerAuthentication
from interfaces.mcp.exceptions import TokenRefused
from marketplace.api.parsers import StrictJSONParser
from marketplace.middleware.errors import is_transient


class MessageParser(StrictJSONParser):
    """Raises 415, 401, 413 or 400, in this order."""

    def read(self, request):
        try:
            authenticate(request)
        except Error as error:
            # While the database is unavailable, the methods that need it say so.
            if not is_transient(error):
                raise
        return super().read(request)


def authenticate(request):
    """Set `request.auth` to the Bearer token. Raises TokenRefused if it is not usable."""
    bearer = BearerAuthentication()
    if request.auth is None and bearer.text_of(request):
        try:
            request.user, request.auth = bearer.authenticate(request)
        except AuthenticationFailed as error:
            raise TokenRefused from error
