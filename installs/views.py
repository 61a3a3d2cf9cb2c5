from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.response import Response

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaNotInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
    SkillNotInstalled,
)
from installs.models import PersonaInstall, SkillInstall
from installs.serializers import (
    ActivatedPersonaSerializer,
    DeactivatedPersonaSerializer,
    InstalledPersonaSerializer,
    InstalledSkillSerializer,
    InstalledSlugSerializer,
    InstallPersonaSerializer,
    InstallSkillSerializer,
    UninstalledPersonaSerializer,
    UninstalledSkillSerializer,
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

    @extend_schema(
        operation_id="uninstall_skill",
        tags=["Installs"],
        summary="Uninstall a skill",
        description="Also one that staff have withdrawn. It may be installed again later.",
        responses={200: UninstalledSkillSerializer, 404: SkillNotInstalled},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def uninstall(self, request):
        install = SkillInstall.objects.uninstall(request.user, **self.validated(request))
        return Response(UninstalledSkillSerializer(install).data)


class PersonaInstallViewSet(ApiViewSet):
    required_scope = Scope.INSTALL
    serializer_class = InstallPersonaSerializer

    @extend_schema(
        operation_id="install_persona",
        tags=["Installs"],
        summary="Install a free persona",
        description="Its skills come with it. With `setActive` it replaces the active one.",
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

    @extend_schema(
        operation_id="uninstall_persona",
        tags=["Installs"],
        summary="Uninstall a persona",
        description="Also one that staff have withdrawn. If it was the active one, none is "
        "active then. The agent's review of it stays.",
        responses={200: UninstalledPersonaSerializer, 404: PersonaNotInstalled},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def uninstall(self, request):
        install = PersonaInstall.objects.uninstall(request.user, **self.validated(request))
        return Response(UninstalledPersonaSerializer(install).data)

    @extend_schema(
        operation_id="activate_persona",
        tags=["Installs"],
        summary="Make an installed persona the active one",
        description="Any other becomes inactive. Once more for the active one: nothing moves.",
        responses={200: ActivatedPersonaSerializer, 404: (PersonaNotInstalled, PersonaNotFound)},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def activate(self, request):
        wanted = self.validated(request)
        install = PersonaInstall.objects.set_active(request.user, wanted["slug"], activate=True)
        return Response(ActivatedPersonaSerializer(install).data)

    @extend_schema(
        operation_id="deactivate_persona",
        tags=["Installs"],
        summary="Have no active persona",
        description="Once more for an inactive one: nothing moves.",
        responses={200: DeactivatedPersonaSerializer, 404: PersonaNotInstalled},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def deactivate(self, request):
        wanted = self.validated(request)
        install = PersonaInstall.objects.set_active(request.user, wanted["slug"], activate=False)
        return Response(DeactivatedPersonaSerializer(install).data)
