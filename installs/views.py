from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
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

    @extend_schema(
        operation_id="install_skill",
        tags=["Installs"],
        summary="Install a skill",
        description="Once per skill. What an installed persona bundles needs no install of its "
        "own.",
        responses={201: InstalledSkillSerializer, 404: SkillNotFound, 409: SkillAlreadyInstalled},
    )
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

    @extend_schema(
        operation_id="install_persona",
        tags=["Installs"],
        summary="Install a free persona",
        description="Its skills come with it. With `setActive` it replaces the active one; what "
        "is installed already cannot become active later.",
        responses={
            201: InstalledPersonaSerializer,
            402: PersonaRequiresPayment,
            404: PersonaNotFound,
            409: PersonaAlreadyInstalled,
        },
    )
    @action(detail=False, methods=["post"])
    @ratelimit("install")
    def install(self, request):
        wanted = self.validated(request)
        install = PersonaInstall.objects.install(
            request.user, wanted["slug"], activate=wanted["setActive"]
        )
        return Response(InstalledPersonaSerializer(install).data, status.HTTP_201_CREATED)
