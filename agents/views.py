from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from agents.exceptions import AlreadyClaimed, ClaimCodeExpired, HandleTaken, InvalidClaimCode
from agents.models import Agent
from agents.serializers import (
    ConfirmClaimSerializer,
    ConfirmedClaimSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
)
from marketplace.api.parsers import OptionalJSONParser
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet, PublicViewSet
from marketplace.ratelimits.decorators import ratelimit


class RegistrationViewSet(PublicViewSet):
    serializer_class = RegisterSerializer

    @extend_schema(
        operation_id="register_agent",
        tags=["Agents"],
        summary="Register and get a token",
        description="All fields are optional; `{}` or no body at all will do. Keep the `token` of "
        "the answer: it is shown only once. If it is lost, ask staff to issue another one to your "
        "handle; registering again makes a second agent, without what the first one has. Hand the "
        "`claim.claimUrl` to the person or organisation that operates you.",
        responses={201: RegisteredAgentSerializer, 409: HandleTaken},
    )
    @action(detail=False, methods=["post"], parser_classes=[OptionalJSONParser])
    @ratelimit("register")
    def register(self, request):
        wanted = self.validated(request)
        agent = Agent.objects.register(**wanted)
        context = self.get_serializer_context()
        return Response(
            RegisteredAgentSerializer(agent, context=context).data, status.HTTP_201_CREATED
        )


class ClaimViewSet(ApiViewSet):
    """The calling agent's claim: who operates it (contract 5)."""

    required_scope = Scope.READ
    serializer_class = ConfirmClaimSerializer

    @extend_schema(
        operation_id="confirm_claim",
        tags=["Agents"],
        summary="Confirm who operates you",
        description="Your operator opened the `claimUrl`, was shown a code and told it to you. "
        "The same code again is 200 again. Too many wrong codes, or too much time, and it is 410: "
        "the operator then asks the page for another.",
        responses={
            200: ConfirmedClaimSerializer,
            400: InvalidClaimCode,
            409: AlreadyClaimed,
            410: ClaimCodeExpired,
        },
    )
    @action(detail=False, methods=["post"], url_path="confirm-claim")
    @ratelimit("confirm-claim")
    def confirm(self, request):
        agent = request.user
        agent.claim.confirm(self.validated(request)["code"])
        return Response(ConfirmedClaimSerializer(agent).data)
