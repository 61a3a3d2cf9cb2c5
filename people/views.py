"""Sign-in with the company's identity provider (contract 32)."""

import logging
from http import HTTPStatus

from django.contrib.auth.signals import user_login_failed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from marketplace.access import Audience
from marketplace.api.links import local_path
from marketplace.documents import Busy, Unreachable
from marketplace.hops import has_hopped, hop, wait
from marketplace.issuers import IssuerBusy, IssuerUnavailable
from marketplace.middleware.pages import page
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.windows import Caller, count, usage_of
from people import client, sessions
from people.exceptions import INVALID, SignInRefused
from people.flow import Flow
from people.models import Person, Provider

RETRY_SECONDS = 60  # as often as documents are fetched
POLICY = "login-address"
TITLE = "Signing in"
# An error that a provider may send (RFC 6749, OpenID Connect); others are not shown.
ERRORS = {
    *("access_denied", "login_required", "interaction_required", "consent_required"),
    *("account_selection_required", "server_error", "temporarily_unavailable"),
    *("invalid_request", "invalid_scope", "unauthorized_client", "unsupported_response_type"),
}

logger = logging.getLogger(__name__)


def begin(request, back, *, is_silent):
    """The response that leads to the provider."""
    flow = Flow.begin(local_path(back), is_silent=is_silent)
    try:
        url = client.authorization_url(Provider.current(), request, flow)
    except IssuerBusy:
        return wait(request, TITLE)
    except IssuerUnavailable as error:
        return unreachable(request, error.headers["Retry-After"], flow.back)
    response = redirect(url)
    add_never_cache_headers(response)
    flow.keep(request, response)
    return response


class SignInPage(View):
    """A step of the way in."""

    http_method_names = ["get", "head"]
    audience = Audience.EVERYONE

    @page
    @method_decorator(never_cache)
    def dispatch(self, request, *args, **kwargs):
        return super().dispatch(request, *args, **kwargs)


class SignIn(SignInPage):
    def get(self, request):
        return begin(request, request.GET.get("next", ""), is_silent=False)


class Callback(SignInPage):
    """Where the provider leads back to, with a code."""

    def get(self, request):
        if not has_hopped(request):
            return hop(request, TITLE)
        try:
            flow = Flow.of(request)
        except SignInRefused as error:
            # No sign-in, so no event: anybody can request this, and any site can make a browser do.
            logger.warning("A callback was refused: %s", error)
            return answer(request, "", HTTPStatus.FORBIDDEN, sentence=error.sentence)
        try:
            response = self.finish(request, flow)
        except Busy:
            return wait(request, TITLE)  # and the cookie stays
        except IssuerUnavailable as error:
            response = unreachable(request, error.headers["Retry-After"], flow.back)
        except Unreachable as error:
            logger.warning("The identity provider cannot be reached: %s", error)
            response = unreachable(request, RETRY_SECONDS, flow.back)
        except SignInRefused as error:
            response = refuse(request, error, flow.back)
            if flow.is_silent:
                sessions.end(request)  # and the event stays a failed log-in
        flow.forget(response)
        return response

    def finish(self, request, flow):
        """Sign the person in. Raises SignInRefused, Busy and what `claims_of` raises."""
        try:
            provider = Provider.current()
        except IssuerBusy as error:
            raise Busy from error  # The code is not spent yet.
        caller = Caller(client_address(request))
        usage = usage_of(request, POLICY, caller)
        if not usage.remaining:
            return too_many(request, usage)
        try:
            check_answer(request.GET, provider)
            claims = client.claims_of(provider, request, flow)
        except SignInRefused:
            if not flow.is_silent:  # Many fail at once where all people share an address.
                count(request, POLICY, caller)
            raise
        user = Person.objects.look(claims).user
        sessions.begin(request, user, is_silent=flow.is_silent)
        return redirect(flow.back or ("admin:index" if user.is_staff else "/"))


def check_answer(answer, provider):
    """Raise SignInRefused unless the provider sent a code (contract 32.5)."""
    is_sent = "iss" in answer or provider.metadata["sends_iss"]
    if is_sent and answer.getlist("iss") != [provider.url]:
        raise SignInRefused(INVALID, "the answer is of another issuer, or names none")
    if "error" in answer:
        error = answer["error"] if answer["error"] in ERRORS else "an unknown error"
        raise SignInRefused(f"The identity provider did not sign you in: {error}. Sign in again.")
    if len(answer.getlist("code")) != 1 or not answer["code"]:
        raise SignInRefused(INVALID, "the answer has no code")


def refuse(request, error, back):
    logger.warning("A sign-in was refused: %s", error)
    credentials = {"username": error.username}
    user_login_failed.send(sender=__name__, credentials=credentials, request=request)
    return answer(request, back, HTTPStatus.FORBIDDEN, sentence=error.sentence)


def unreachable(request, seconds, back):
    sentence = "The identity provider cannot be reached. Try again in a minute."
    response = answer(request, back, HTTPStatus.SERVICE_UNAVAILABLE, sentence=sentence)
    response["Retry-After"] = str(seconds)
    return response


def too_many(request, usage):
    sentence = f"Too many sign-ins have failed here. Try again in {usage.minutes} minutes."
    response = answer(request, "", HTTPStatus.TOO_MANY_REQUESTS, sentence=sentence)
    response["Retry-After"] = str(usage.seconds)
    return response


def answer(request, back, status, **context):
    context |= {
        "again": reverse("sign-in", query={"next": back} if back else None),
        "is_refused": status == HTTPStatus.FORBIDDEN,
    }
    return render(request, "people/refused.html", context, status=status)
