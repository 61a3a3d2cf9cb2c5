"""The versions of an entry (contract 25)."""

from catalogue.models import SkillVersion
from catalogue.serializers.fields import (
    PERSONA_SLUG,
    PERSONA_TITLE,
    ContextTokensField,
    DescriptionField,
    EntrySlugField,
    TitleField,
    VersionField,
    VersionNumberField,
)
from catalogue.serializers.files import (
    FileListSerializer,
    SkillFileSerializer,
    version_files_address,
)
from catalogue.serializers.personas import FrontmatterField, PromptField, ToolsField
from marketplace.api.fields import BooleanField, DigestField, TextField, TimestampField, UrlField
from marketplace.api.serializers import PageSerializer, ResponseSerializer
from marketplace.models import max_length


class RecallSerializer(ResponseSerializer):
    reason = TextField(
        source="recall_reason",
        max_length=max_length(SkillVersion, "recall_reason"),
        initial="It deletes files.",
    )
    at = TimestampField(source="recalled_at")

    def to_representation(self, version):
        return super().to_representation(version) if version.recalled_at else None


class VersionSerializer(ResponseSerializer):
    """A version in a list."""

    number = VersionNumberField()
    version = VersionField()
    digest = DigestField()
    contextTokens = ContextTokensField(source="context_tokens")
    createdAt = TimestampField(source="created_at")
    isCurrent = BooleanField(
        source="is_current", help_text="Whether this is the entry's current text."
    )
    recall = RecallSerializer(
        source="*", allow_null=True, help_text="Set if staff recalled this version. Do not use it."
    )


class VersionPageSerializer(PageSerializer):
    results = VersionSerializer(many=True)


class VersionFileListSerializer(FileListSerializer):
    def place_of(self, version):
        return version_files_address(version), ""


class VersionFileSerializer(SkillFileSerializer):
    url = UrlField(
        source="address",
        initial="https://marketplace.example/api/v1/skills/pdf-tables/versions/3/files/"
        "scripts/tables.py",
        help_text="The URL of its bytes, which never change. Once the version is recalled, the URL "
        "is a 404.",
    )

    class Meta:
        list_serializer_class = VersionFileListSerializer


class VersionDetailSerializer(ResponseSerializer):
    """One version with its text, from VersionReads.one."""

    slug = EntrySlugField()
    number = VersionNumberField()
    version = VersionField()
    title = TitleField()
    description = DescriptionField()
    digest = DigestField()
    content = TextField(initial="# PDF Tables\n")
    contextTokens = ContextTokensField(source="context_tokens")
    createdAt = TimestampField(source="created_at")
    isCurrent = BooleanField(
        source="is_current", help_text="Whether this is the entry's current text."
    )


class SkillVersionSerializer(VersionDetailSerializer):
    files = VersionFileSerializer(many=True, source="*")


class PersonaVersionSerializer(VersionDetailSerializer):
    slug = EntrySlugField(initial=PERSONA_SLUG)
    title = TitleField(initial=PERSONA_TITLE)
    content = PromptField(source="*", allow_null=True)
    frontmatter = FrontmatterField(source="*", allow_null=True)
    tools = ToolsField()
