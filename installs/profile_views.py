from functools import partial

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action

from agents.authentication import BearerAuthentication
from agents.serializers.agents import UpdateAgentSerializer
from installs import reads
from installs.limits import usages_of
from installs.profile import Profile
from installs.serializers.manifest import ManifestSerializer
from installs.serializers.profile import LimitsSerializer, ProfileSerializer
from installs.sql import MAX_SKILLS, PROFILE
from marketplace.access import PRIVATE
from marketplace.api.exceptions import BadRequest
from marketplace.api.responses import conditional_response
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet


@extend_schema(tags=["Agents"])
class ProfileViewSet(ApiViewSet):
    """The calling agent's own profile."""

    required_scope = Scope.READ
    # The statement that authenticates also reads the rows of the profile: `request.auth.row`.
    authentication_classes = [partial(BearerAuthentication, statement=PROFILE)]
    serializer_class = UpdateAgentSerializer

    @extend_schema(
        operation_id="get_profile",
        summary="Get your profile",
        description="Your identity, what you have installed, your active persona, and "
        "`advisories`: what you should stop using.",
        responses={200: ProfileSerializer},
    )
    @action(detail=False)
    def me(self, request):
        return self.profile(request)

    @extend_schema(
        operation_id="update_profile",
        summary="Update your name, description or runtime",
        description="Fields that you leave out keep their value. The handle cannot be changed.",
        responses={200: ProfileSerializer},
    )
    @me.mapping.patch
    def update_me(self, request):
        request.user.change_own(**self.validated(request))
        return self.profile(request)

    def profile(self, request):
        return self.respond(ProfileSerializer, Profile(request.user, request.auth.row))

    @extend_schema(
        operation_id="get_limits",
        summary="Get your rate limits",
        description="Reading your limits does not count against them.",
        responses={200: LimitsSerializer},
    )
    @action(detail=False, url_path="me/limits", authentication_classes=[BearerAuthentication])
    def limits(self, request):
        return self.respond(LimitsSerializer, usages_of(request.user))


class ManifestViewSet(ApiViewSet):
    required_scope = Scope.READ
    is_conditional = True
    default_response_headers = {"Cache-Control": PRIVATE}

    @extend_schema(
        operation_id="get_manifest",
        tags=["Agents"],
        summary="Get everything you load at start-up",
        description="Your active persona, its skills and the skills you installed, always in the "
        f"same order. It includes the texts of at most {MAX_SKILLS} skills and 8 MiB; `truncated` "
        "says whether any are missing. Withdrawn entries are only in `advisories`.",
        parameters=[
            OpenApiParameter(
                "content",
                {"type": "boolean", "default": True},
                description="`false` leaves out the texts: each `content` is null.",
            )
        ],
        responses={200: ManifestSerializer},
    )
    @action(detail=False)
    def manifest(self, request):
        content = self.query.get("content", ["true"])
        if content not in (["true"], ["false"]):
            raise BadRequest("content must be true or false")
        agent = request.user
        current, advisories = reads.manifest(agent), reads.advisories(agent=agent.pk)

        def build():
            if content == ["false"]:
                return self.manifest_response(current, advisories)
            # The advisories again, after the texts, so that an entry that is withdrawn meanwhile is
            # in at least one of the two.
            manifest = reads.manifest(agent, with_content=True)
            return self.manifest_response(manifest, reads.advisories(agent=agent.pk))

        return conditional_response(request, [current.rows, advisories], None, build)

    def manifest_response(self, manifest, advisories):
        manifest.advisories = advisories
        return self.respond(ManifestSerializer, manifest)
