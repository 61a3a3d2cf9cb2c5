"""The page on which an operator asks for the code that the agent confirms with (contract 7).

The code comes with an operator key (contract 19.1), even if the agent is claimed, for somebody who
lost the key or takes the agent over. The browser that requested them shows both until the agent
confirms the code or the code expires (marketplace/shown_once.py). The agent may confirm any of the
last codes, so the browser keeps their keys as well.
"""

from typing import NamedTuple

from django.http import Http404
from django.shortcuts import get_object_or_404, render

from agents import tokens
from agents.models import OperatorClaim
from marketplace.api.links import base_url
from marketplace.shown_once import redirect_to_show, shown_once
from operators.forms import ClaimForm
from operators.pages import (
    WITH_SCRIPT,
    OperatorPage,
    count_code,
    count_key,
    keys_tried,
    too_many,
    with_limits,
)


class ShownCode(NamedTuple):
    """A code that this browser has requested; `new_key` is None if the operator entered a key."""

    state: str | None = None
    code: str | None = None
    new_key: str | None = None


class ClaimView(OperatorPage):
    content_security_policy = WITH_SCRIPT

    def claim_of(self, secret):
        return get_object_or_404(OperatorClaim.objects.select_related("agent"), secret=secret)

    def get(self, request, secret):
        return self.render(self.claim_of(secret), ClaimForm())

    def post(self, request, secret):
        claim, form = self.claim_of(secret), ClaimForm(request.POST)
        if request.POST.get("seen", seen_in(claim)) != seen_in(claim):
            # The agent has confirmed a code in the meantime. A reload shows that, not another code
            # with another key that would open nothing.
            return self.render(claim, ClaimForm())
        # Only wrong keys count here, because an operator may have many agents to add. Beyond the
        # limit, the right key is refused, too.
        if "key" in form.errors:
            usage = count_key(request)
            if usage.is_exceeded:
                return too_many(request, usage)
        elif request.POST.get("key") and not (usage := keys_tried(request)).remaining:
            return too_many(request, usage)
        if not form.is_valid():
            return self.render(claim, form, status=400)
        usages = count_code(request, claim)
        if usages[-1].is_exceeded:
            return too_many(request, usages[-1])
        new_key = None if form.cleaned_data["key"] else tokens.mint_key()
        valid = [code for code in self.codes_shown(claim) if code.state == "valid"]
        try:
            code = claim.request_code(
                name=form.cleaned_data["name"],
                email=form.cleaned_data["email"],
                key=new_key or form.cleaned_data["key"],
            )
        except OperatorClaim.DoesNotExist:
            raise Http404 from None
        codes = [(code, new_key), *((other.code, other.new_key) for other in valid)]
        return with_limits(redirect_to_show(request.path, codes=codes), *usages)

    def codes_shown(self, claim):
        """The ShownCode of each code that this browser has, newest first."""
        codes = shown_once(self.request).get("codes", [])
        return [ShownCode(claim.state_of(code), code, new_key) for code, new_key in codes]

    def render(self, claim, form, *, status=200):
        codes = self.codes_shown(claim)
        confirmed = [code for code in codes if code.state == "confirmed"]
        [code, *_] = confirmed or codes or [ShownCode()]
        context = {
            "base": base_url(self.request),
            "claim": claim,
            "agent": claim.agent,
            "form": form,
            "seen": seen_in(claim),
            **code._asdict(),
        }
        return render(self.request, "claim.html", context, status=status)


def seen_in(claim):
    """The state of the claim that the page's form sends back."""
    return claim.claimed_at.isoformat() if claim.claimed_at else ""
