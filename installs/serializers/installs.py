from drf_spectacular.utils import extend_schema_serializer

from catalogue.models import MAX_NUMBER, Status
from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.fields import (
    PERSONA_SLUG,
    PERSONA_TITLE,
    EntrySlugField,
    TitleField,
    VersionField,
    VersionNumberField,
)
from catalogue.serializers.personas import PersonaIdSerializer
from catalogue.serializers.skills import SkillIdSerializer
from marketplace.api.fields import (
    BooleanField,
    DigestField,
    IdentifierField,
    ListField,
    MessageField,
    SlugField,
    TextField,
    TimestampField,
    UrlField,
    WholeNumberField,
    timestamp,
)
from marketplace.api.links import path_of
from marketplace.api.serializers import BodySerializer, PageSerializer, ResponseSerializer


class ChosenVersionField(WholeNumberField):
    """The number of a version."""

    def __init__(self, help_text):
        super().__init__(
            min_value=1, max_value=MAX_NUMBER, default=None, initial=3, help_text=help_text
        )


INSTALL_VERSION = (
    "The `number` of the version to install and pin. By default, you get the newest and pin "
    "nothing."
)
SLUG_HELP = "The `slug` of the entry in the catalogue."


class InstallSkillSerializer(BodySerializer):
    slug = SlugField(initial="pdf-tables", help_text=SLUG_HELP)
    runtime = TextField(
        default="",
        initial="python",
        help_text="Where you use the skill, in your own words, such as `python`.",
    )
    version = ChosenVersionField(INSTALL_VERSION)


class InstallPersonaSerializer(BodySerializer):
    slug = SlugField(initial="archivist", help_text=SLUG_HELP)
    setActive = BooleanField(
        source="activate",
        default=False,
        initial=True,
        help_text="Whether it becomes your one active persona.",
    )
    version = ChosenVersionField(INSTALL_VERSION)


class InstalledSlugSerializer(BodySerializer):
    slug = SlugField(
        initial="archivist", help_text="The `slug` of an entry that you have installed."
    )


class UpdateInstallSerializer(InstalledSlugSerializer):
    version = ChosenVersionField("The `number` of the version to switch to and pin.")


class PinSerializer(InstalledSlugSerializer):
    version = ChosenVersionField("The `number` of the version to pin. By default, the one you use.")


class PinnedSkillSerializer(ResponseSerializer):
    """A version, with the slug of its entry."""

    message = MessageField("Skill pinned")
    slug = EntrySlugField(source="entry.slug")
    number = VersionNumberField()
    digest = DigestField()


class PinnedPersonaSerializer(PinnedSkillSerializer):
    message = MessageField("Persona pinned")
    slug = EntrySlugField(source="entry.slug", initial=PERSONA_SLUG)


class UnpinnedSkillSerializer(ResponseSerializer):
    message = MessageField("Skill unpinned")
    slug = EntrySlugField(source="entry.slug")


class UnpinnedPersonaSerializer(ResponseSerializer):
    message = MessageField("Persona unpinned")
    slug = EntrySlugField(source="entry.slug", initial=PERSONA_SLUG)


class UninstalledSkillSerializer(ResponseSerializer):
    message = MessageField("Skill uninstalled")
    skillId = IdentifierField("skill", source="skill.public_id")
    slug = EntrySlugField(source="skill.slug")


class UninstalledPersonaSerializer(ResponseSerializer):
    message = MessageField("Persona uninstalled")
    personaId = IdentifierField("persona", source="persona.public_id")
    slug = EntrySlugField(source="persona.slug", initial=PERSONA_SLUG)


class InstalledTextSerializer(ResponseSerializer):
    """The version that an install gives the agent."""

    digest = DigestField(source="installed_digest")
    number = VersionNumberField()


class SkillTextUrlField(UrlField):
    def represent(self, install, context):
        name = "skill-version-archive" if install.has_files else "skill-version-skill-md"
        path = path_of(name, slug=install.skill.slug, number=install.number)
        return super().represent(path, context)


class PersonaTextUrlField(UrlField):
    def represent(self, install, context):
        slug, number = install.persona.slug, install.number
        path = path_of("persona-version-detail", slug=slug, number=number)
        return super().represent(path, context)


class InstalledSkillSerializer(UninstalledSkillSerializer, InstalledTextSerializer):
    message = MessageField("Skill installed")
    url = SkillTextUrlField(
        source="*",
        initial="https://marketplace.example/api/v1/skills/pdf-tables/versions/3/archive.zip",
        help_text="The URL of this version: a zip if it has files, otherwise the SKILL.md.",
    )


class ActivatedPersonaSerializer(UninstalledPersonaSerializer):
    message = MessageField("Persona activated")
    isActive = BooleanField(source="is_active")


class InstalledPersonaSerializer(ActivatedPersonaSerializer, InstalledTextSerializer):
    message = MessageField("Persona installed")
    url = PersonaTextUrlField(
        source="*",
        initial="https://marketplace.example/api/v1/personas/archivist/versions/3",
        help_text="The URL of this version, with its prompt.",
    )


class DeactivatedPersonaSerializer(ActivatedPersonaSerializer):
    message = MessageField("Persona deactivated")


@extend_schema_serializer(component_name="Upgrade")
class UpdateSerializer(ResponseSerializer):
    """The response to an update."""

    message = MessageField("Updated")
    slug = EntrySlugField()
    digest = DigestField()
    previousDigest = DigestField(source="previous_digest")

    def to_representation(self, update):
        data = super().to_representation(update)
        if data["digest"] == data["previousDigest"]:
            data["message"] = "Nothing to update"
        return data


class SkillInstallSerializer(SkillIdSerializer):
    """An installed skill in the profile and in the agent's list."""

    slug = EntrySlugField()
    title = TitleField()
    runtime = TextField(initial="python")
    installedAt = TimestampField(source="installed_at")
    deprecation = DeprecationSerializer()


class PersonaInstallSerializer(PersonaIdSerializer):
    """An installed persona in the profile and in the agent's list."""

    slug = EntrySlugField(initial=PERSONA_SLUG)
    title = TitleField(initial=PERSONA_TITLE)
    isActive = BooleanField(source="is_active")
    installedAt = TimestampField(source="installed_at")
    skills = ListField(
        EntrySlugField(),
        source="skill_slugs",
        help_text="The slugs of the skills that come with it.",
    )
    deprecation = DeprecationSerializer()


class WithdrawnAtField(TimestampField):
    help_text = "Set if it is withdrawn. Stop using it."
    initial = None

    def to_representation(self, install):
        return None if install.status == Status.PUBLISHED else timestamp(install.gone_since)


class GivenNumberField(VersionNumberField):
    help_text = "The number of the version you get. Null if it is withdrawn."

    def to_representation(self, install):
        return install.given_number if install.status == Status.PUBLISHED else None


class LatestSerializer(ResponseSerializer):
    """The newest version of an entry, in the manifest."""

    number = VersionNumberField(source="latest_number")
    version = VersionField(source="latest_version")
    digest = DigestField(source="latest_digest")


class OwnLatestSerializer(LatestSerializer):
    """The same in an agent's lists, which include withdrawn entries."""

    def to_representation(self, install):
        return super().to_representation(install) if install.status == Status.PUBLISHED else None


class OwnEntrySerializer(ResponseSerializer):
    """The part of an agent's list row that both kinds share; from InstallQuerySet.with_entry."""

    version = VersionField()
    digest = DigestField(source="given_digest", help_text="The digest of the text you get.")
    number = GivenNumberField(source="*", allow_null=True)
    pinned = BooleanField(source="is_pinned", help_text="Whether you pinned this version.")
    latest = OwnLatestSerializer(
        source="*", allow_null=True, help_text="The newest version. Null if it is withdrawn."
    )
    installedDigest = DigestField(
        source="installed_digest",
        help_text="The digest of the text that you installed or last updated to.",
    )
    updateAvailable = BooleanField(source="is_outdated")
    withdrawnAt = WithdrawnAtField(source="*", allow_null=True)


class OwnSkillSerializer(SkillInstallSerializer, OwnEntrySerializer):
    pass


class OwnSkillPageSerializer(PageSerializer):
    results = OwnSkillSerializer(many=True)


class OwnPersonaSerializer(PersonaInstallSerializer, OwnEntrySerializer):
    pass


class OwnPersonaPageSerializer(PageSerializer):
    results = OwnPersonaSerializer(many=True)
