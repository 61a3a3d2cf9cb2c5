"""Secrets that a page shows once: a code, a key, a token. A reload shows the same secret again.

The page that makes it redirects to the page that shows it. In between it is in a cookie of that
browser alone: encrypted, for that one page, for a few minutes. The database has only digests.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpResponseRedirect
from django.utils.crypto import salted_hmac

COOKIE = "shown-once"
LIFETIME = 20 * 60  # seconds: those of a claim code, plus five minutes to read the outcome


def cipher():
    key = salted_hmac("marketplace.shown_once", "", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))


def redirect_to_show(path, **values):
    """A redirect to the page at the path. Only that page can read the values."""
    response = HttpResponseRedirect(path)
    text = cipher().encrypt(json.dumps({**values, "path": path}).encode())
    response.set_cookie(
        COOKIE,
        # Hexadecimal digits, because logs mask them.
        urlsafe_b64decode(text).hex(),
        max_age=LIFETIME,
        path=path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        # Not Strict, so that following the agent's link again shows the code again.
        samesite="Lax",
    )
    return response


def shown_once(request):
    """The values that the page of this request shows, or {}."""
    try:
        text = urlsafe_b64encode(bytes.fromhex(request.COOKIES.get(COOKIE, "")))
        values = json.loads(cipher().decrypt(text, ttl=LIFETIME))
    except (InvalidToken, ValueError):
        return {}
    return values if values.pop("path") == request.path else {}
