from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.fields import (
    ContextTokensField,
    DescriptionField,
    EntrySlugField,
    NumberField,
    TitleField,
    VersionField,
)
from catalogue.serializers.files import FileSerializer
from catalogue.serializers.personas import PersonaIdSerializer
from catalogue.serializers.skills import BundlingPersonaSerializer, SkillIdSerializer
from installs.serializers import LatestSerializer
from marketplace.api.fields import (
    BooleanField,
    ChoiceField,
    CountField,
    DigestField,
    ListField,
    TextField,
)
from marketplace.api.serializers import ResponseSerializer
from profiles.serializers.advisories import AdvisorySerializer


class ContentField(TextField):
    help_text = "Null beyond the limits, or where none was asked for."
    initial = "You are an archivist."


class ManifestEntrySerializer(ResponseSerializer):
    version = VersionField()
    digest = DigestField()
    number = NumberField(help_text="The number of the version you get.")
    pinned = BooleanField(source="is_pinned", help_text="Whether you pinned this version.")
    latest = LatestSerializer(source="*", help_text="The newest version.")
    installedDigest = DigestField(
        source="installed_digest",
        allow_null=True,
        help_text="Of the text when it was installed or last updated; null where it is not "
        "installed by itself.",
    )
    updateAvailable = BooleanField(source="is_outdated")
    content = ContentField(allow_null=True)
    contextTokens = ContextTokensField(source="context_tokens")
    deprecation = DeprecationSerializer()


class ManifestPersonaSerializer(
    PersonaIdSerializer, BundlingPersonaSerializer, ManifestEntrySerializer
):
    pass


class NamedSkillSerializer(SkillIdSerializer):
    description = DescriptionField()
    slug = EntrySlugField()
    title = TitleField()


class ManifestSkillSerializer(NamedSkillSerializer, ManifestEntrySerializer):
    content = ContentField(allow_null=True, initial="---\nname: pdf-tables\n---\n")
    files = FileSerializer(many=True, source="*")
    via = ListField(ChoiceField(["install", "persona"]))


class ManifestSerializer(ResponseSerializer):
    """A Manifest and its `advisories`."""

    activePersona = ManifestPersonaSerializer(source="persona", allow_null=True)
    skills = ManifestSkillSerializer(many=True)
    contextTokens = CountField(source="context_tokens", help_text="The sum.")
    advisories = AdvisorySerializer(many=True)
    truncated = BooleanField(
        source="is_truncated", help_text="Whether a `content` is null for its size alone."
    )
