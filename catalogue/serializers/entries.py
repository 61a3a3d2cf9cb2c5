"""What skills and personas show alike."""

from catalogue.models import Entry
from catalogue.serializers.fields import (
    UNKNOWN,
    ContextTokensField,
    DescriptionField,
    EntrySlugField,
    TitleField,
    VersionField,
    VersionNumberField,
)
from marketplace.api.fields import DigestField, ListField, TextField, TimestampField
from marketplace.api.serializers import ResponseSerializer
from marketplace.models import max_length


class DeprecationSerializer(ResponseSerializer):
    """The deprecation of a row with `deprecation_message` and `successor_slug` (contract 18.6)."""

    message = TextField(
        source="deprecation_message",
        max_length=max_length(Entry, "deprecation_message"),
        initial="It reads scanned tables only.",
    )
    replacedBy = EntrySlugField(
        source="successor_slug",
        allow_null=True,
        initial="pdf-forms",
        help_text="The `slug` of the entry to use instead, of the same kind.",
    )

    def __init__(self, *args, **options):
        about = "Set if staff advise against using it. You can still install it."
        options = {"source": "*", "allow_null": True, "help_text": about, **options}
        super().__init__(*args, **options)

    def to_representation(self, row):
        return super().to_representation(row) if row.deprecation_message else None


class EntrySerializer(ResponseSerializer):
    """What skills and personas have in common, in lists and in details."""

    slug = EntrySlugField()
    title = TitleField()
    description = DescriptionField()
    category = TextField(
        max_length=max_length(Entry, "category"), initial="data", help_text=UNKNOWN
    )
    tags = ListField(TextField(max_length=max_length(Entry, "tags"), initial="pdf"))
    runtimes = ListField(TextField(max_length=max_length(Entry, "runtimes"), initial="python"))
    author = TextField(
        max_length=max_length(Entry, "author"), initial="Harbour Tools", help_text=UNKNOWN
    )
    version = VersionField()
    number = VersionNumberField()
    license = TextField(max_length=max_length(Entry, "license"), initial="MIT", help_text=UNKNOWN)
    contextTokens = ContextTokensField(source="context_tokens")
    digest = DigestField(
        help_text="Identifies the current text: the served SKILL.md and its files, or the "
        "frontmatter and the prompt."
    )
    deprecation = DeprecationSerializer()
    createdAt = TimestampField(source="created_at")
    updatedAt = TimestampField(source="updated_at")
