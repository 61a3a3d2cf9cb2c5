"""Refuses the token of a message, before the message is read (contract 34.40, 35.10)."""

from django.db import Error
from django.urls import reverse
from rest_framework.exceptions import AuthenticationFailed

from agents.authentication import BearerAuthentication
from interfaces.mcp.exceptions import SignInRequired, TokenRefused
from marketplace import access
from marketplace.api.links import base_url
from marketplace.api.parsers import StrictJSONParser
from marketplace.api.scopes import DEFAULT_SCOPES
from marketplace.features import has_connectors
from marketplace.middleware.errors import is_transient


class MessageParser(StrictJSONParser):
    """Raises 415, 401, 413 or 400, in this order."""

    def read(self, request):
        try:
            check_token(request)
        except Error as error:
            # While the database is unavailable, the methods that need it say so.
            if not is_transient(error):
                raise
        return super().read(request)


def check_token(request):
    """Raises TokenRefused, or SignInRequired where clients sign in."""
    try:
        authenticate(request)
    except TokenRefused as error:
        if signs_in(request):
            raise SignInRequired('error="invalid_token", ', *hints(request)) from error
        raise
    if request.auth is None and signs_in(request):
        raise SignInRequired("", *hints(request))


def is_connector(request):
    """Whether it is a message to /mcp/oauth."""
    match = request.resolver_match
    return match is not None and match.url_name == "mcp-oauth"


def signs_in(request):
    """Whether a message without a usable token is an invitation to sign in."""
    return has_connectors() and (is_connector(request) or not access.is_public())


def hints(request):
    """Where the client learns how to sign in, and the scopes that it may ask for."""
    path = reverse("mcp-oauth" if is_connector(request) else "mcp")
    document = f"{base_url(request)}/.well-known/oauth-protected-resource{path}"
    return document, " ".join(DEFAULT_SCOPES)


def authenticate(request):
    """Set `request.auth` to the Bearer token. Raises TokenRefused if it is not usable."""
    bearer = BearerAuthentication()
    if request.auth is None and bearer.text_of(request):
        try:
            request.user, request.auth = bearer.authenticate(request)
        except AuthenticationFailed as error:
            raise TokenRefused from error
