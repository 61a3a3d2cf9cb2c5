from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage

from operators.sessions import PATH


class ConsoleMessages(CookieStorage):
    """Messages about an action, for the next page to show. The admin's messages stay apart."""

    cookie_name = "operator_messages"

    def update(self, response):
        rest = super().update(response)
        if cookie := response.cookies.get(self.cookie_name):
            cookie["path"], cookie["samesite"], cookie["httponly"] = PATH, "Strict", True
            cookie["secure"] = settings.SESSION_COOKIE_SECURE
        return rest
