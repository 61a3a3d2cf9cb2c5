from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.response import Response

from agents.serializers import UpdateAgentSerializer
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet
from profiles.authentication import ProfileAuthentication
from profiles.profile import Profile
from profiles.serializers import ProfileSerializer


class ProfileViewSet(ApiViewSet):
    """The calling agent's own profile."""

    required_scope = Scope.READ
    authentication_classes = [ProfileAuthentication]
    serializer_class = UpdateAgentSerializer

    @extend_schema(
        operation_id="get_profile",
        tags=["Agents"],
        summary="Read your profile",
        description="Who you are, what you have installed, which persona is active, and in "
        "`advisories` what you have and should stop using.",
        responses={200: ProfileSerializer},
    )
    @action(detail=False)
    def me(self, request):
        return self.profile(request)

    @extend_schema(
        operation_id="update_profile",
        tags=["Agents"],
        summary="Change your name, description or runtime",
        description="What is left out stays as it is. The handle cannot be changed.",
        responses={200: ProfileSerializer},
    )
    @me.mapping.patch
    def update_me(self, request):
        request.user.change(**self.validated(request))
        return self.profile(request)

    def profile(self, request):
        profile = Profile(request.user, request.auth.row)
        return Response(ProfileSerializer(profile, context=self.get_serializer_context()).data)
