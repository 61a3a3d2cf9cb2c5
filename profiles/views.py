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

    @action(detail=False)
    def me(self, request):
        return self.profile(request)

    @me.mapping.patch
    def update_me(self, request):
        request.user.change(**self.validated(request))
        return self.profile(request)

    def profile(self, request):
        profile = Profile(request.user, request.auth.row)
        return Response(ProfileSerializer(profile, context=self.get_serializer_context()).data)
