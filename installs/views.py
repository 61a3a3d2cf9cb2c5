from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.decorators import action

from catalogue.exceptions import PersonaNotFound, SkillNotFound, VersionNotFound
from installs import reads
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaNotInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from installs.list_queries import OwnPersonaQuery, OwnSkillQuery
from installs.models import PersonaInstall, SkillInstall
from installs.serializers.installs import (
    ActivatedPersonaSerializer,
    DeactivatedPersonaSerializer,
    InstalledPersonaSerializer,
    InstalledSkillSerializer,
    InstalledSlugSerializer,
    InstallPersonaSerializer,
    InstallSkillSerializer,
    OwnPersonaPageSerializer,
    OwnPersonaSerializer,
    OwnSkillPageSerializer,
    OwnSkillSerializer,
    PinnedPersonaSerializer,
    PinnedSkillSerializer,
    PinSerializer,
    UninstalledPersonaSerializer,
    UninstalledSkillSerializer,
    UnpinnedPersonaSerializer,
    UnpinnedSkillSerializer,
    UpdateInstallSerializer,
    UpdateSerializer,
)
from marketplace.api.scopes import Scope
from marketplace.api.viewsets import ApiViewSet
from marketplace.ratelimits.decorators import ratelimit


class InstallViewSet(ApiViewSet):
    """The calling agent's installs of one kind."""

    model = None
    query_class = None
    installs = None
    own_serializer = page_serializer = None
    installed_serializer = uninstalled_serializer = None
    pinned_serializer = unpinned_serializer = None
    uninstall_description = ""

    @property
    def required_scope(self):
        return Scope.READ if self.action == "list" else Scope.INSTALL

    def list(self, request):
        page = self.installs.page(self.query_class(self.query, agent=request.user.pk))
        rows = self.own_serializer(page.results, many=True).data
        return page.get_paginated_response(rows, request)

    @action(detail=False, methods=["post"])
    @ratelimit("install")
    def install(self, request):
        install = self.model.objects.install(request.user, **self.validated(request))
        return self.respond(self.installed_serializer, install, status.HTTP_201_CREATED)

    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def uninstall(self, request):
        install = self.model.objects.uninstall(request.user, **self.validated(request))
        return self.respond(self.uninstalled_serializer, install)

    @action(
        detail=False,
        methods=["post"],
        url_path="update",
        url_name="update",
        serializer_class=UpdateInstallSerializer,
    )
    @ratelimit("manage")
    # Not `update`, which routers bind to PUT.
    def update_own(self, request):
        update = self.model.objects.update_own(request.user, **self.validated(request))
        return self.respond(UpdateSerializer, update)

    @action(detail=False, methods=["post"], serializer_class=PinSerializer)
    @ratelimit("manage")
    def pin(self, request):
        version = self.model.objects.pin(request.user, **self.validated(request))
        return self.respond(self.pinned_serializer, version)

    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def unpin(self, request):
        install = self.model.objects.unpin(request.user, **self.validated(request))
        return self.respond(self.unpinned_serializer, install)


UPDATE = (
    "Read the new text first: your `installedDigest` becomes its `digest`. If there is nothing to "
    "update, both digests in the response are the same. With `version`, you switch to that "
    "version, older or newer, and pin it. Without it, you get the newest version, and a pin moves "
    "there."
)


def described(viewset):
    """Describes the endpoints that both kinds have in OpenAPI."""
    kind = viewset.model.kind
    not_installed, not_found = viewset.model.NotInstalled, viewset.model.NotFound
    no_version = (not_installed, not_found, VersionNotFound)
    return extend_schema_view(
        list=extend_schema(
            operation_id=f"list_own_{kind}s",
            summary=f"List your {kind}s",
            description="Everything you have installed, newest first. `updateAvailable` means that "
            "the text has changed since `installedDigest`. `withdrawnAt` is set if staff have "
            "withdrawn the entry.",
            responses={200: viewset.page_serializer},
        ),
        uninstall=extend_schema(
            operation_id=f"uninstall_{kind}",
            summary=f"Uninstall a {kind}",
            description=viewset.uninstall_description,
            responses={200: viewset.uninstalled_serializer, 404: not_installed},
        ),
        update_own=extend_schema(
            operation_id=f"update_{kind}",
            summary=f"Update a {kind}",
            description=UPDATE,
            responses={200: UpdateSerializer, 404: no_version},
        ),
        pin=extend_schema(
            operation_id=f"pin_{kind}",
            summary=f"Pin a version of a {kind}",
            description="Your lists and your manifest keep this version, whatever is published "
            "later. Your profile lists no update for it.",
            responses={200: viewset.pinned_serializer, 404: no_version},
        ),
        unpin=extend_schema(
            operation_id=f"unpin_{kind}",
            summary=f"Unpin a {kind}",
            description="You get the newest text again. Your `installedDigest` does not change.",
            responses={200: viewset.unpinned_serializer, 404: (not_installed, not_found)},
        ),
    )(viewset)


@extend_schema(tags=["Installs"])
@extend_schema_view(
    install=extend_schema(
        operation_id="install_skill",
        summary="Install a skill",
        description="You install a skill once. The skills of an installed persona come with the "
        "persona.",
        responses={
            201: InstalledSkillSerializer,
            404: (SkillNotFound, VersionNotFound),
            409: SkillAlreadyInstalled,
        },
    )
)
@described
class SkillInstallViewSet(InstallViewSet):
    model = SkillInstall
    query_class = OwnSkillQuery
    installs = reads.skills
    serializer_class = InstallSkillSerializer
    own_serializer, page_serializer = OwnSkillSerializer, OwnSkillPageSerializer
    installed_serializer = InstalledSkillSerializer
    uninstalled_serializer = UninstalledSkillSerializer
    pinned_serializer, unpinned_serializer = PinnedSkillSerializer, UnpinnedSkillSerializer
    uninstall_description = (
        "You can uninstall a withdrawn skill, too. You can install a published one again later."
    )


@extend_schema(tags=["Installs"])
@extend_schema_view(
    install=extend_schema(
        operation_id="install_persona",
        summary="Install a free persona",
        description="The skills it bundles come with it. With `setActive`, it becomes your one "
        "active persona.",
        responses={
            201: InstalledPersonaSerializer,
            402: PersonaRequiresPayment,
            404: (PersonaNotFound, VersionNotFound),
            409: PersonaAlreadyInstalled,
        },
    )
)
@described
class PersonaInstallViewSet(InstallViewSet):
    model = PersonaInstall
    query_class = OwnPersonaQuery
    installs = reads.personas
    serializer_class = InstallPersonaSerializer
    own_serializer, page_serializer = OwnPersonaSerializer, OwnPersonaPageSerializer
    installed_serializer = InstalledPersonaSerializer
    uninstalled_serializer = UninstalledPersonaSerializer
    pinned_serializer, unpinned_serializer = PinnedPersonaSerializer, UnpinnedPersonaSerializer
    uninstall_description = (
        "You can uninstall a withdrawn persona, too. If it was active, you have no active persona "
        "afterwards. Your review of it stays."
    )

    @extend_schema(
        operation_id="activate_persona",
        summary="Activate a persona",
        description="It replaces your active persona. Activating the active persona again does "
        "nothing.",
        responses={200: ActivatedPersonaSerializer, 404: (PersonaNotInstalled, PersonaNotFound)},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def activate(self, request):
        install = PersonaInstall.objects.activate(request.user, **self.validated(request))
        return self.respond(ActivatedPersonaSerializer, install)

    @extend_schema(
        operation_id="deactivate_persona",
        summary="Deactivate a persona",
        description="The persona stays installed. Deactivating an inactive persona does nothing.",
        responses={200: DeactivatedPersonaSerializer, 404: PersonaNotInstalled},
    )
    @action(detail=False, methods=["post"], serializer_class=InstalledSlugSerializer)
    @ratelimit("manage")
    def deactivate(self, request):
        install = PersonaInstall.objects.deactivate(request.user, **self.validated(request))
        return self.respond(DeactivatedPersonaSerializer, install)
