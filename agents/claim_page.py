"""The page on which an operator asks for the code that the agent confirms with (contract 5)."""

from django import forms
from django.http import Http404
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from agents.exceptions import AlreadyClaimed
from agents.models import OperatorClaim
from marketplace.middleware.pages import page
from marketplace.models import max_length


class OperatorForm(forms.Form):
    name = forms.CharField(
        max_length=max_length(OperatorClaim, "operator_name"), label="Your name or organisation"
    )
    email = forms.EmailField(
        max_length=max_length(OperatorClaim, "operator_email"), label="E-mail address"
    )


class ClaimView(View):
    @page
    @method_decorator(never_cache)
    def dispatch(self, request, secret):
        claim = OperatorClaim.objects.select_related("agent").filter(secret=secret).first()
        if claim is None:
            raise Http404
        response = super().dispatch(request, claim)
        # The URL of this page is its secret: a Referer header carries no more than the origin on.
        # Under no-referrer a browser would post the form with "Origin: null", which the CSRF check
        # refuses.
        response["Referrer-Policy"] = "strict-origin"
        response["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        return response

    def get(self, request, claim):
        return self.render(claim, OperatorForm())

    def post(self, request, claim):
        form = OperatorForm(request.POST)
        if not form.is_valid():
            return self.render(claim, form, status=400)
        try:
            code = claim.request_code(**form.cleaned_data)
        except AlreadyClaimed:
            return self.render(claim, form, status=409)
        return self.render(claim, form, code=code)

    def render(self, claim, form, *, code=None, status=200):
        context = {"claim": claim, "agent": claim.agent, "form": form, "code": code}
        return render(self.request, "claim.html", context, status=status)
