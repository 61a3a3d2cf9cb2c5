from drf_spectacular.utils import extend_schema_serializer

from catalogue.models import Status
from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.fields import (
    PERSONA_SLUG,
    PERSONA_TITLE,
    EntrySlugField,
    TitleField,
    VersionField,
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
    timestamp,
)
from marketplace.api.serializers import BodySerializer, PageSerializer, ResponseSerializer

SLUG_HELP = "The `slug` of the entry, as the catalogue shows it."


class InstallSkillSerializer(BodySerializer):
    slug = SlugField(initial="pdf-tables", help_text=SLUG_HELP)
    runtime = TextField(
        default="",
        initial="python",
        help_text="Where the agent runs, in its own words, such as `python`.",
    )


class InstallPersonaSerializer(BodySerializer):
    slug = SlugField(initial="archivist", help_text=SLUG_HELP)
    setActive = BooleanField(
        default=False,
        initial=True,
        help_text="Make it the agent's one active persona, instead of another; without it, do not.",
    )


class InstalledSlugSerializer(BodySerializer):
    slug = SlugField(initial="archivist", help_text="The `slug` of what the agent has installed.")


class InstalledSkillSerializer(ResponseSerializer):
    message = MessageField("Skill installed")
    skillId = IdentifierField("skill", source="skill.public_id")
    slug = EntrySlugField(source="skill.slug")


class UninstalledSkillSerializer(InstalledSkillSerializer):
    message = MessageField("Skill uninstalled")


class UninstalledPersonaSerializer(ResponseSerializer):
    message = MessageField("Persona uninstalled")
    personaId = IdentifierField("persona", source="persona.public_id")
    slug = EntrySlugField(source="persona.slug", initial=PERSONA_SLUG)


class InstalledPersonaSerializer(UninstalledPersonaSerializer):
    message = MessageField("Persona installed")
    isActive = BooleanField(source="is_active")


class ActivatedPersonaSerializer(InstalledPersonaSerializer):
    message = MessageField("Persona activated")


class DeactivatedPersonaSerializer(InstalledPersonaSerializer):
    message = MessageField("Persona deactivated")


@extend_schema_serializer(component_name="Upgrade")
class UpdateSerializer(ResponseSerializer):
    """What `update_own` returns."""

    message = MessageField("Updated")
    slug = EntrySlugField()
    digest = DigestField()
    previousDigest = DigestField(source="previous_digest")

    def to_representation(self, verdict):
        data = super().to_representation(verdict)
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
    help_text = "Set where it is withdrawn: stop using it."
    initial = None

    def to_representation(self, install):
        return None if install.status == Status.PUBLISHED else timestamp(install.gone_since)


class OwnEntrySerializer(ResponseSerializer):
    """What an agent's lists show of any entry; from InstallQuerySet.with_entry."""

    version = VersionField()
    digest = DigestField(source="entry_digest", help_text="Of the text that the entry has now.")
    installedDigest = DigestField(
        source="installed_digest",
        help_text="Of the text that it had when it was installed or last updated.",
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
