from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from installs.models import PersonaInstall, SkillInstall
from installs.serializers import (
    InstalledPersonaSerializer,
    InstalledSkillSerializer,
    InstallPersonaSerializer,
    InstallSkillSerializer,
)
from marketplace.api.permissions import Scope
from marketplace.api.viewsets import ApiViewSet
from marketplace.ratelimits.decorators import ratelimit


class SkillInstallViewSet(ApiViewSet):
    required_scope = Scope.INSTALL
    serializer_class = InstallSkillSerializer

    @action(detail=False, methods=["post"])
    @ratelimit("install")
    def install(self, request):
        wanted = self.validated(request)
        install = SkillInstall.objects.install(
            request.user, wanted["slug"], runtime=wanted["runtime"]
        )
        return Response(InstalledSkillSerializer(install).data, status.HTTP_201_CREATED)


class PersonaInstallViewSet(ApiViewSet):
    required_scope = Scope.INSTALL
    serializer_class = InstallPersonaSerializer

    @action(detail=False, methods=["post"])
    @ratelimit("install")
    def install(self, request):
        wanted = self.validated(request)
        install = PersonaInstall.objects.install(
            request.user, wanted["slug"], activate=wanted["setActive"]
        )
        return Response(InstalledPersonaSerializer(install).data, status.HTTP_201_CREATED)
