from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.fields import (
    ContextTokensField,
    DescriptionField,
    EntrySlugField,
    TitleField,
    VersionField,
    VersionNumberField,
)
from catalogue.serializers.files import FileSerializer
from catalogue.serializers.personas import FrontmatterField, PersonaIdSerializer, ToolsField
from catalogue.serializers.skills import BundlingPersonaSerializer, SkillIdSerializer
from installs.serializers.advisories import AdvisorySerializer
from installs.serializers.installs import LatestSerializer
from marketplace.api.fields import (
    BooleanField,
    ChoiceField,
    CountField,
    DigestField,
    ListField,
    TextField,
)
from marketplace.api.serializers import ResponseSerializer


class ContentField(TextField):
    help_text = "Null beyond the size limits, or with `content=false`."
    initial = "You are an archivist."


class ManifestFrontmatterField(FrontmatterField):
    help_text = "The start of its file, up to the prompt. Null if it has none."

    def to_representation(self, frontmatter):
        return frontmatter or None


class ManifestEntrySerializer(ResponseSerializer):
    version = VersionField()
    digest = DigestField()
    number = VersionNumberField(help_text="The number of the version you get.")
    pinned = BooleanField(source="is_pinned", help_text="Whether you pinned this version.")
    latest = LatestSerializer(source="*", help_text="The newest version.")
    installedDigest = DigestField(
        source="installed_digest",
        allow_null=True,
        help_text="The digest of the text that you installed or last updated to. Null if it only "
        "comes with a persona.",
    )
    updateAvailable = BooleanField(source="is_outdated")
    content = ContentField(allow_null=True)
    contextTokens = ContextTokensField(source="context_tokens")
    deprecation = DeprecationSerializer()


class ManifestPersonaSerializer(
    PersonaIdSerializer, BundlingPersonaSerializer, ManifestEntrySerializer
):
    frontmatter = ManifestFrontmatterField(allow_null=True)
    tools = ToolsField()


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
    contextTokens = CountField(
        source="context_tokens", help_text="The sum over the persona and the skills."
    )
    advisories = AdvisorySerializer(many=True)
    truncated = BooleanField(
        source="is_truncated",
        help_text="Whether any `content` is null because the manifest would be too large.",
    )
