"""What one sign-in keeps in the browser, between its beginning and the callback (contract 32.3)."""

from dataclasses import asdict, dataclass
from secrets import token_urlsafe

from django.conf import settings
from django.core import signing
from django.urls import reverse

from people.exceptions import STALE, SignInRefused

SALT = "people.flow"
SECONDS = 600


@dataclass(frozen=True)
class Flow:
    state: str
    nonce: str
    verifier: str
    back: str  # the page to open afterwards, or ""
    is_silent: bool

    @classmethod
    def begin(cls, back, *, is_silent):
        return cls(*(token_urlsafe(32) for _ in range(3)), back, is_silent)

    @classmethod
    def of(cls, request):
        """The flow that the callback ends. Raises SignInRefused."""
        state = request.GET.get("state", "")
        try:
            text = request.COOKIES.get(cookie_name(state), "")
            flow = cls(**signing.loads(text, salt=SALT, max_age=SECONDS))
        except signing.BadSignature as error:
            raise SignInRefused(STALE, "this browser has no such sign-in") from error
        if flow.state != state:
            raise SignInRefused(STALE, "the state is another one")
        return flow

    def keep(self, request, response):
        response.set_cookie(
            cookie_name(self.state),
            signing.dumps(asdict(self), salt=SALT),
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
