from datetime import timedelta

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action

from agents.exceptions import (
    AlreadyClaimed,
    ClaimCodeExpired,
    HandleTaken,
    InvalidClaimCode,
    InvalidInvitation,
    RegistrationByInvitation,
    RegistrationClosed,
    TokenNotFound,
    TooManyTokens,
)
from agents.models import Agent, AgentToken
from agents.permissions import NotOfConnection
from agents.serializers.agents import (
    ConfirmClaimSerializer,
    ConfirmedClaimSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
)
from agents.serializers.tokens import (
    CreatedTokenSerializer,
    CreateTokenSerializer,
    LeakedTokenSerializer,
    RevokedLeakSerializer,
    RevokedTokenSerializer,
    RotatedTokenSerializer,
    RotateTokenSerializer,
    TokenPageSerializer,
)
from audit.views import AuditedMixin
from marketplace.access import Audience
from marketplace.api.parsers import OptionalJSONParser
from marketplace.api.query_params import query_parameters
from marketplace.api.scopes import HasScope, Scope
from marketplace.api.viewsets import ApiViewSet, PublicViewSet
from marketplace.ratelimits.decorators import ratelimit


class RegistrationViewSet(PublicViewSet):
    audience = Audience.EVERYONE
    serializer_class = RegisterSerializer
    permission_classes = [NotOfConnection]

    @extend_schema(
        operation_id="register_agent",
        tags=["Agents"],
        summary="Register an agent",
        description="All fields are optional, and so is the body. Store the `token` of the "
        "response: it is shown only once. If you lose it, ask your operator or staff for another "
        "one; registering again creates a second agent with nothing installed. Give "
        "`claim.claimUrl` to the person or organization that operates you.",
        responses={
            201: RegisteredAgentSerializer,
            403: (RegistrationByInvitation, InvalidInvitation, RegistrationClosed),
            409: HandleTaken,
        },
    )
    @action(detail=False, methods=["post"], parser_classes=[OptionalJSONParser])
    @ratelimit("register")
    def register(self, request):
        agent = Agent.objects.register(**self.validated(request))
        return self.respond(RegisteredAgentSerializer, agent, status.HTTP_201_CREATED)


class ClaimViewSet(AuditedMixin, ApiViewSet):
    """The calling agent's claim (contract 7)."""

    required_scope = Scope.READ
    permission_classes = [HasScope, NotOfConnection]
    serializer_class = ConfirmClaimSerializer

    @extend_schema(
        operation_id="confirm_claim",
        tags=["Agents"],
        summary="Confirm your operator",
        description="Send the code that the claim page showed your operator. Sending the same "
        "code again is a 200, too. After too many wrong codes or too much time you get a 410, and "
        "your operator needs a new code from the page. Use a token with all scopes that does not "
        "expire: your operator can do with you what that token can do. Confirming a newer code "
        "makes the person who requested it your operator.",
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
        agent.claim.confirm(self.validated(request)["code"], request.auth)
        return self.respond(ConfirmedClaimSerializer, agent)


@extend_schema(tags=["Tokens"])
class TokenViewSet(AuditedMixin, ApiViewSet):
    """The calling agent's tokens (contract 15)."""

    required_scope = Scope.READ
    serializer_class = CreateTokenSerializer
    lookup_url_kwarg = "tokenId"
    lookup_value_regex = "[^/]+"

    def get_permissions(self):
        may_list = [] if self.action == "list" else [NotOfConnection()]
        return [HasScope(), *may_list]

    @extend_schema(
        operation_id="list_tokens",
        summary="List your tokens",
        description="Your valid tokens, newest first. The text of a token is not stored and "
        "cannot be shown again.",
        responses={200: TokenPageSerializer},
    )
    def list(self, request):
        return self.respond(TokenPageSerializer, list(request.user.tokens.usable()))

    @extend_schema(
        operation_id="create_token",
        summary="Create a token",
        description="The new token has at most the scopes and the expiry of the token that you "
        f"send. An agent has at most {AgentToken.MAX_USABLE} tokens.",
        responses={201: CreatedTokenSerializer, 409: TooManyTokens},
    )
    @ratelimit("manage")
    def create(self, request):
        token = request.auth.issue_another(**self.validated(request))
        return self.respond(CreatedTokenSerializer, token, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="rotate_token",
        summary="Rotate your token",
        description="The new token has the same scopes, name and expiry. The old token ends now, "
        "or can only read for `graceSeconds`. The body is optional.",
        responses={201: RotatedTokenSerializer, 409: TooManyTokens},
    )
    @action(
        detail=False,
        methods=["post"],
        parser_classes=[OptionalJSONParser],
        serializer_class=RotateTokenSerializer,
    )
    @ratelimit("manage")
    def rotate(self, request):
        fields = self.validated(request)
        token = request.auth.rotate(timedelta(seconds=fields["graceSeconds"]))
        return self.respond(RotatedTokenSerializer, token, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="revoke_token",
        summary="Revoke a token",
        description="You can revoke the token that you send, too. Revoking a token with more "
        "scopes than yours is a 403.",
        responses={200: RevokedTokenSerializer, 404: TokenNotFound},
    )
    @ratelimit("manage")
    def destroy(self, request, **path):
        query_parameters(request)
        token = request.auth.revoke_by_id(path["tokenId"])
        return self.respond(RevokedTokenSerializer, token)


class LeakedTokenViewSet(AuditedMixin, PublicViewSet):
    audience = Audience.EVERYONE
    serializer_class = LeakedTokenSerializer

    @extend_schema(
        operation_id="revoke_leaked_token",
        tags=["Tokens"],
        summary="Revoke a leaked token",
        description="Anyone who finds a token can revoke it. The response is the same for every "
        "text.",
        responses={200: RevokedLeakSerializer},
    )
    @action(detail=False, methods=["post"])
    @ratelimit("revoke")
    def revoke(self, request):
        text = self.validated(request)["token"]
        AgentToken.objects.revoke_leaked(text)
        return self.respond(RevokedLeakSerializer, text)
