from catalogue.serializers.fields import EntrySlugField, KindField, VersionNumberField
from changes.models import Change
from marketplace.api.fields import ChoiceField, DigestField, TextField, TimestampField, UrlField
from marketplace.api.serializers import ResponseSerializer

CURSOR = "WyIiLCIyMDI2LTExLTIyVDIwOjU5OjIw"


class ChangeSerializer(ResponseSerializer):
    """A change in the feed (contract 20.1)."""

    kind = KindField()
    slug = EntrySlugField()
    change = ChoiceField(Change.Type.values)
    digest = DigestField(allow_null=True, help_text="Null if the entry is withdrawn.")
    number = VersionNumberField(allow_null=True, help_text="Null if the entry is withdrawn.")
    at = TimestampField(source="changed_at")


class ChangePageSerializer(ResponseSerializer):
    """The response of a FeedPage."""

    results = ChangeSerializer(many=True)
    next = UrlField(
        initial=f"https://marketplace.example/api/v1/changes?since={CURSOR}",
        help_text="The URL of the changes after these. It is set on the last page, too: poll it.",
    )
    cursor = TextField(initial=CURSOR, help_text="The `since` in `next`.")
