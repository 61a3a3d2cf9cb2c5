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
        check_token(request)
        return super().read(request)


def check_token(request):
    """Raise TokenRefused if the request has a Bearer token that is not usable.

    While the database is unavailable, nobody knows. The methods that need it say so.
    """
    bearer = BearerAuthentication()
    if not bearer.text_of(request):
        return
    try:
        bearer.authenticate(request)
    except AuthenticationFailed as error:
        raise TokenRefused from error
    except Error as error:
        if not is_transient(error):
            raise
