"""Which sessions are open, and whose password opens one (contract 32.7, 32.12).

Without a provider, the settings have Django's own backend in place of both.
"""

import logging

from django.conf import settings
from django.contrib.auth.backends import ModelBackend

from marketplace import oidc
from people.models import WayIn

logger = logging.getLogger(__name__)


class PasswordBackend(ModelBackend):
    """Django's passwords, but for people of the provider, and with OIDC_ONLY for the way in."""

    def authenticate(self, request, **credentials):
        user = super().authenticate(request, **credentials)
        if user is not None and settings.OIDC_ONLY:
            logger.warning("%s has used the way in: a password, in spite of OIDC_ONLY", user)
        return user

    # Django asks for each request, so that this ends open sessions, too.
    def user_can_authenticate(self, user):
        if user.get_username().startswith(oidc.USERNAME_PREFIX):
            return False
        is_way_in = not settings.OIDC_ONLY or WayIn.objects.filter(user=user).exists()
        return is_way_in and super().user_can_authenticate(user)


class ProviderBackend(ModelBackend):
    """The sessions that the identity provider began. Without a provider, they are over."""

    def authenticate(self, request, **credentials):
        return None
