from catalogue.models import Entry
from catalogue.serializers.fields import EntrySlugField, KindField, TitleField, VersionNumberField
from marketplace.api.fields import TextField, TimestampField
from marketplace.api.serializers import ResponseSerializer
from marketplace.models import max_length


class AdvisorySerializer(ResponseSerializer):
    kind = KindField()
    slug = EntrySlugField()
    title = TitleField()
    number = VersionNumberField(
        source="recalled_number",
        allow_null=True,
        help_text="The number of the recalled version. Null if it is the whole entry.",
    )
    reason = TextField(
        source="withdrawal_reason",
        max_length=max_length(Entry, "withdrawal_reason"),
        initial="It sends what it reads elsewhere.",
        help_text="Why staff recalled it. Empty if the entry was only withdrawn.",
    )
    withdrawnAt = TimestampField(source="gone_since")
