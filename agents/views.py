from django import forms
from django.http import Http404
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from agents.exceptions import AlreadyClaimed
from agents.models import Agent, OperatorClaim
from agents.serializers import (
    ConfirmClaimSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
    claim_of,
)
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet, PublicViewSet
from marketplace.ratelimits.decorators import ratelimit


class RegistrationViewSet(PublicViewSet):
    serializer_class = RegisterSerializer

    @action(detail=False, methods=["post"])
    @ratelimit("register")
    def register(self, request):
        wanted = self.validated(request, may_be_empty=True)
        agent = Agent.objects.register(**wanted)
        context = self.get_serializer_context()
        return Response(
            RegisteredAgentSerializer(agent, context=context).data, status.HTTP_201_CREATED
        )


class ClaimViewSet(ApiViewSet):
    """The calling agent's claim: who operates it (contract 5)."""

    required_scope = Scope.READ
    serializer_class = ConfirmClaimSerializer

    @action(detail=False, methods=["post"], url_path="confirm-claim")
    @ratelimit("confirm-claim")
    def confirm(self, request):
        agent = request.user
        agent.claim.confirm(self.validated(request)["code"])
        return Response(
            {
                "message": "Claim confirmed",
                "agentId": agent.public_id,
                "handle": agent.handle,
                "claim": claim_of(agent),
            }
        )


class OperatorForm(forms.Form):
    name = forms.CharField(max_length=80, label="Your name or organisation")
    email = forms.EmailField(max_length=254, label="E-mail address")


@method_decorator(never_cache, name="dispatch")
class ClaimView(View):
    """The page on which an operator asks for the code that the agent confirms with (contract 5)."""

    def dispatch(self, request, secret):
        claim = OperatorClaim.objects.select_related("agent").filter(secret=secret).first()
        if claim is None:
            raise Http404
        response = super().dispatch(request, claim)
        # The address of this page is its secret: it must not travel on in a Referer header.
        response["Referrer-Policy"] = "no-referrer"
        response["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'self'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )
        return response

    def get(self, request, claim):
        return self.page(request, claim, OperatorForm())

    def post(self, request, claim):
        form = OperatorForm(request.POST)
        if not form.is_valid():
            return self.page(request, claim, form, status=400)
        try:
            code = claim.request_code(**form.cleaned_data)
        except AlreadyClaimed:
            return self.page(request, claim, form, status=409)
        return self.page(request, claim, form, code=code)

    def page(self, request, claim, form, *, code=None, status=200):
        context = {"claim": claim, "agent": claim.agent, "form": form, "code": code}
        return render(request, "claim.html", context, status=status)
