"""The sessions of operators: a browser holds one in a signed cookie.

That cookie also opens the pages of a members-only catalogue. There the browser sends it to all
paths, so it has another name: a browser would send two cookies of the same name.
"""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.crypto import salted_hmac

from marketplace import access
from operators.models import OperatorSession

PATH = "/operator"  # of the console


class HexSigner(Signer):
    """Signs in hexadecimal digits: Django's own signatures hold hyphens, so no log masks them."""

    def signature(self, value, key=None):
        secret = key or self.key
        return salted_hmac(self.salt, value, secret, algorithm="sha256").hexdigest()


signer = HexSigner(salt="operators.session")


def name_and_path():
    return ("operator", PATH) if access.is_public() else ("operator-member", "/")


def begin(response, key):
    """Log the browser that gets the response in with the key."""
    session = OperatorSession.objects.begin(key)
    key.note_use()
    name, path = name_and_path()
    response.set_cookie(
        name,
        signer.sign(session.pk),
        max_age=OperatorSession.LIFETIME,
        path=path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def session_of(request):
    """The open session of the request's cookie, or None. It also records that the key was used."""
    try:
        name, _ = name_and_path()
        pk = signer.unsign(request.COOKIES.get(name, ""))
        session = OperatorSession.objects.open().select_related("key").filter(pk=pk).first()
    except (BadSignature, ValidationError):
        return None
    if session is not None:
        session.key.note_use()
    return session


def is_signed_in(request):
    return session_of(request) is not None


def forget(response):
    name, path = name_and_path()
    response.delete_cookie(name, path=path, samesite="Strict")
