"""What one sign-in keeps in the browser, between its beginning and the callback (contract 32.3)."""

from dataclasses import astuple, dataclass

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac

from marketplace.secrets import TOKEN_SECRET_LENGTH, random_text
from people.exceptions import STALE, SignInRefused

SALT = "people.sign-in"
SECONDS = 600


@dataclass(frozen=True)
class Flow:
    """State, nonce and verifier follow from the secret, so that the cookies of many tabs fit."""

    secret: str  # as long as those that reports of crashes mask
    back: str  # the page to open afterwards, or ""
    is_silent: bool

    @classmethod
    def begin(cls, back, *, is_silent):
        return cls(random_text(TOKEN_SECRET_LENGTH), back, is_silent)

    @classmethod
    def of(cls, request):
        """The flow that the callback ends. Raises SignInRefused."""
        state = request.GET.get("state", "")
        try:
            text = request.COOKIES.get(cookie_name(state), "")
            flow = cls(*signing.loads(text, salt=SALT, max_age=SECONDS))
        except signing.BadSignature as error:
            raise SignInRefused(STALE, "this browser has no such sign-in") from error
        if flow.state != state:
            raise SignInRefused(STALE, "the state is another one")
        return flow

    @property
    def state(self):
        return self.derived("state")

    @property
    def nonce(self):
        return self.derived("nonce")

    @property
    def verifier(self):
        return self.derived("verifier")

    def derived(self, name):
        """43 characters that tell nothing about the secret and about the others."""
        digest = salted_hmac(f"{SALT}.{name}", self.secret, algorithm="sha256").digest()
        return signing.b64_encode(digest).decode()

    def keep(self, request, response):
        response.set_cookie(
            cookie_name(self.state),
            signing.dumps(astuple(self), salt=SALT),
            max_age=SECONDS,
            path=reverse("sign-in-callback"),
            secure=settings.SESSION_COOKIE_SECURE or request.is_secure(),
            httponly=True,
            samesite="Lax",
        )

    def forget(self, response):
        path = reverse("sign-in-callback")
        response.delete_cookie(cookie_name(self.state), path=path, samesite="Lax")


def cookie_name(state):
    """One for each flow, because several tabs may sign in at once."""
    return f"sign-in-{state[:8]}"
