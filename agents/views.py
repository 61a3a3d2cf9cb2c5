from datetime import timedelta

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from agents import tokens
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
from agents.serializers import (
    ConfirmClaimSerializer,
    ConfirmedClaimSerializer,
    CreatedTokenSerializer,
    CreateTokenSerializer,
    LeakedTokenSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
    RevokedLeakSerializer,
    RevokedTokenSerializer,
    RotatedTokenSerializer,
    RotateTokenSerializer,
    TokenPageSerializer,
)
from marketplace.access import Audience
from marketplace.api.parsers import OptionalJSONParser
from marketplace.api.query_params import query_parameters
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet, PublicViewSet
from marketplace.ratelimits.decorators import ratelimit


class RegistrationViewSet(PublicViewSet):
    audience = Audience.EVERYONE
    serializer_class = RegisterSerializer

    @extend_schema(
        operation_id="register_agent",
        tags=["Agents"],
        summary="Register and get a token",
        description="All fields are optional; `{}` or no body at all will do. Keep the `token` of "
        "the response: it is shown only once. If it is lost, ask your operator or staff to issue "
        "another one to your handle; registering again makes a second agent, without what the "
        "first one has. Hand the `claim.claimUrl` to the person or organisation that operates you.",
        responses={
            201: RegisteredAgentSerializer,
            403: (RegistrationByInvitation, InvalidInvitation, RegistrationClosed),
            409: HandleTaken,
        },
    )
    @action(detail=False, methods=["post"], parser_classes=[OptionalJSONParser])
    @ratelimit("register")
    def register(self, request):
        fields = self.validated(request)
        agent = Agent.objects.register(**fields)
        context = self.get_serializer_context()
        return Response(
            RegisteredAgentSerializer(agent, context=context).data, status.HTTP_201_CREATED
        )


class ClaimViewSet(ApiViewSet):
    """The calling agent's claim (contract 7)."""

    required_scope = Scope.READ
    serializer_class = ConfirmClaimSerializer

    @extend_schema(
        operation_id="confirm_claim",
        tags=["Agents"],
        summary="Confirm who operates you",
        description="Your operator opened the `claimUrl`, was shown a code and told it to you. "
        "The same code again is 200 again. Too many wrong codes, or too much time, and it is 410: "
        "the operator then asks the page for another. Confirm it with a token of all scopes that "
        "does not expire: the operator may do as much with you as that token. A claimed agent gets "
        "another operator, or the same one another key, by the code of who asks the page anew.",
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
        return Response(ConfirmedClaimSerializer(agent).data)


@extend_schema(tags=["Tokens"])
class TokenViewSet(ApiViewSet):
    """The calling agent's tokens (contract 15)."""

    required_scope = Scope.READ
    serializer_class = CreateTokenSerializer
    lookup_url_kwarg = "tokenId"
    lookup_value_regex = "[^/]+"

    @extend_schema(
        operation_id="list_tokens",
        summary="List your tokens",
        description="Those that can be used, newest first. Their texts are not stored.",
        responses={200: TokenPageSerializer},
    )
    def list(self, request):
        usable = list(request.user.tokens.usable())
        return Response(TokenPageSerializer(usable, context=self.get_serializer_context()).data)

    @extend_schema(
        operation_id="create_token",
        summary="Make another token",
        description="With at most the scopes of the token of this request, which also bounds its "
        f"expiry. An agent has at most {AgentToken.MAX_USABLE} tokens.",
        responses={201: CreatedTokenSerializer, 409: TooManyTokens},
    )
    @ratelimit("manage")
    def create(self, request):
        fields = self.validated(request)
        token = request.auth.issue_another(
            name=fields["name"],
            scopes=fields["scopes"],
            expires_at=tokens.expiry(fields["expiresInDays"]),
        )
        return Response(CreatedTokenSerializer(token).data, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="rotate_token",
        summary="Replace the token of this request",
        description="The new token has its scopes, name and expiry. The old one ends now, or after "
        "`graceSeconds`, in which it can only read. No body at all will do.",
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
        return Response(RotatedTokenSerializer(token).data, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="revoke_token",
        summary="Revoke one of your tokens",
        description="Also the token of this request. One that has more scopes than it is a 403.",
        responses={200: RevokedTokenSerializer, 404: TokenNotFound},
    )
    @ratelimit("manage")
    def destroy(self, request, **path):
        query_parameters(request)
        token = request.auth.revoke_by_id(path["tokenId"])
        return Response(RevokedTokenSerializer(token).data)


class LeakedTokenViewSet(PublicViewSet):
    audience = Audience.EVERYONE
    serializer_class = LeakedTokenSerializer

    @extend_schema(
        operation_id="revoke_leaked_token",
        tags=["Tokens"],
        summary="Revoke a token that leaked",
        description="For whoever finds one. The response is the same for every text.",
        responses={200: RevokedLeakSerializer},
    )
    @action(detail=False, methods=["post"])
    @ratelimit("revoke")
    def revoke(self, request):
        text = self.validated(request)["token"]
        AgentToken.objects.revoke_leaked(text)
        return Response(RevokedLeakSerializer(text).data)
