"""The base of the pages for operators, and the limit on trying keys."""

from django.shortcuts import get_object_or_404, redirect, render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from marketplace.middleware.pages import has_method, page
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.decorators import Caller, count, usage_of
from operators import sessions

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


class OperatorPage(View):
    """A page that runs no script, that nobody keeps, and whose address no other site is told."""

    http_method_names = ["get", "head", "post"]

    @page
    @method_decorator([never_cache, sensitive_post_parameters()])
    def dispatch(self, request, *args, **path):
        refused = has_method(request.resolver_match.func, request.method) and self.refusal()
        response = refused or super().dispatch(request, *args, **path)
        # No more than the origin. Under no-referrer a browser would post a form with
        # "Origin: null", which the CSRF check refuses.
        response.headers["Referrer-Policy"] = "strict-origin"
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response

    def refusal(self):
        """What who may not open the page gets in its place; or None."""


class Console(OperatorPage):
    """A page for who has logged in; anyone else is led to the form that takes a key."""

    def refusal(self):
        self.session = sessions.session_of(self.request)
        if self.session is None:
            return redirect("operator")
        self.key = self.session.key
        return None

    def claim_of(self, handle, *, is_locked=False):
        """The claim of one of the operator's agents; of anybody else's, a 404."""
        claims = self.key.claims.claimed().select_related("agent").filter(agent__handle=handle)
        if is_locked:
            claims = claims.select_for_update(no_key=True, of=["self"])
        return get_object_or_404(claims)


def count_key(request):
    """Count that an operator key is tried; returns the Usage of the address."""
    return count(request, "operator", Caller(client_address(request)))


def keys_tried(request):
    """The Usage of the address as it is."""
    return usage_of(request, "operator", Caller(client_address(request)))


def too_many(request, usage):
    minutes = -(-usage.seconds // 60)
    response = render(request, "operator/too_many.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(usage.seconds)
    return with_limit(response, usage)


def with_limit(response, usage):
    for name, value in usage.headers.items():
        response[name] = value
    return response
