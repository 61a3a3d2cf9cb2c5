from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from agents.models import Agent
from agents.serializers import (
    ConfirmClaimSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
    claim_of,
)
from marketplace.api.parsers import OptionalJSONParser
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet, PublicViewSet
from marketplace.ratelimits.decorators import ratelimit


class RegistrationViewSet(PublicViewSet):
    serializer_class = RegisterSerializer

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
