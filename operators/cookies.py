"""The cookie of an operator's session."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.crypto import salted_hmac

from operators.models import OperatorSession

COOKIE, PATH = "operator", "/operator"


class HexSigner(Signer):
    """In hexadecimal digits: Django's own signatures hold hyphens, and no log would mask them."""

    def signature(self, value, key=None):
        secret = key or self.key
        return salted_hmac(self.salt, value, secret, algorithm="sha256").hexdigest()


signer = HexSigner(salt="operators.session")


def begin(response, key):
    """Open the console of the key for the browser that gets the response."""
    session = OperatorSession.objects.begin(key)
    key.note_use()
    response.set_cookie(
        COOKIE,
        signer.sign(session.pk),
        max_age=OperatorSession.LIFETIME,
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def session_of(request):
    """The open session of the request's cookie, its use noted; or None."""
    try:
        pk = signer.unsign(request.COOKIES.get(COOKIE, ""))
        session = OperatorSession.objects.open().select_related("key").filter(pk=pk).first()
    except (BadSignature, ValidationError):
        return None
    if session is not None:
        session.key.note_use()
    return session


def forget(response):
    response.delete_cookie(COOKIE, path=PATH, samesite="Strict")
