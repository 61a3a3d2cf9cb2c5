from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage

from operators.cookies import PATH


class ConsoleMessages(CookieStorage):
    """What an action has done, for the next page to say; the admin's messages stay apart."""

    cookie_name = "operator_messages"

    def update(self, response):
        rest = super().update(response)
        if cookie := response.cookies.get(self.cookie_name):
            cookie["path"], cookie["samesite"], cookie["httponly"] = PATH, "Strict", True
            cookie["secure"] = settings.SESSION_COOKIE_SECURE
        return rest
