"""The base of the pages for operators, and the limit on trying keys."""

import re

from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from agents import handles
from marketplace import access
from marketplace.access import Audience
from marketplace.acting import acting
from marketplace.api.links import local_path
from marketplace.middleware.pages import has_method, page
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.windows import Caller, count, usage_of
from operators import sessions
from operators.messages import ConsoleMessages

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# For a page that shows a secret once: the site's script copies it, and checks for news.
WITH_SCRIPT = f"{CONTENT_SECURITY_POLICY}; script-src 'self'; connect-src 'self'"


class OperatorPage(View):
    """A page that no cache keeps, and whose address no other site learns."""

    content_security_policy = CONTENT_SECURITY_POLICY
    opener_policy = "same-origin"
    http_method_names = ["get", "head", "post"]
    audience = Audience.OPERATORS
    is_one_event = False  # of the audit trail, although it takes several transactions

    @page
    @method_decorator([never_cache, sensitive_post_parameters()])
    def dispatch(self, request, *args, **path):
        storage = ConsoleMessages(request)
        request._messages = storage  # noqa: SLF001, where Django's own middleware puts them
        refused = has_method(request.resolver_match.func, request.method) and self.refusal()
        with acting("operator", request=request, as_one=self.is_one_event):
            response = refused or self.respond(request, *args, **path)
        if request.method != "HEAD":
            storage.update(response)
        # Only the origin: under no-referrer, a browser would post a form with
        # "Origin: null", which the CSRF check refuses.
        response.headers["Referrer-Policy"] = "strict-origin"
        response.headers["Content-Security-Policy"] = self.content_security_policy
        response.headers["Cross-Origin-Opener-Policy"] = self.opener_policy
        return response

    def refusal(self):
        """The response to a visitor who may not open the page; otherwise None."""

    def respond(self, request, *args, **path):
        return super().dispatch(request, *args, **path)


class Console(OperatorPage):
    """A page for logged-in operators. Everyone else gets the form that takes a key."""

    def refusal(self):
        self.session = sessions.session_of(self.request)
        if self.session is None:
            return self.ask_for_key()
        self.key = self.session.key
        return None

    def ask_for_key(self):
        handle = self.kwargs.get("handle")
        return redirect(reverse("operator", query={"agent": handle}) if handle else "operator")

    def respond(self, request, *args, **path):
        try:
            return super().respond(request, *args, **path)
        except Http404:
            return self.render("operator/not_found.html", status=404)

    def render(self, template, *, status=200, **context):
        return render(self.request, template, {"key": self.key, **context}, status=status)

    def claim_of(self, handle, *, is_locked=False):
        """The claim of one of the operator's agents. Any other agent is a 404."""
        claims = self.key.claims.claimed().select_related("agent").filter(agent__handle=handle)
        if is_locked:
            claims = claims.select_for_update(no_key=True, of=["self"])
        return get_object_or_404(claims)

    def lock_claim(self, handle):
        """`claim_of` for an action, in its transaction; None if the session has just ended.

        An operator who has just lost the agent cannot act, and the agent's own requests wait.
        """
        self.claim_of(handle).agent.lock()
        claim = self.claim_of(handle, is_locked=True)
        return claim if self.session.hold() else None


def count_key(request):
    """Count an attempt with an operator key. Returns the Usage of the address."""
    return count(request, "operator", Caller(client_address(request)))


def keys_tried(request):
    """The Usage of the address, without counting."""
    return usage_of(request, "operator", Caller(client_address(request)))


def count_code(request, claim):
    """Count a request for a code. Returns the Usages; only the last one can be exceeded."""
    address = count(request, "claim-code-address", Caller(client_address(request)))
    if address.is_exceeded:
        return [address]  # and use up nothing of the others who have the claim URL
    return [address, count(request, "claim-code", Caller(claim.pk))]


def handle_in(request, name):
    """The handle that a query parameter holds, or None."""
    match = re.fullmatch(handles.PATTERN, request.GET.get(name, ""))
    return match and match[0]


def way_back(request):
    """The page on this site to open after the log-in, from the query, or "" (contract 26.8).

    A public catalogue sends nobody to the log-in.
    """
    return "" if access.is_public() else local_path(request.GET.get("next", ""))


def too_many(request, usage):
    response = render(request, "operator/too_many.html", {"usage": usage}, status=429)
    response["Retry-After"] = str(usage.seconds)
    return with_limits(response, usage)


def with_limits(response, *usages):
    for name in usages[0].headers:
        response[name] = ", ".join(usage.headers[name] for usage in usages)
    return response
