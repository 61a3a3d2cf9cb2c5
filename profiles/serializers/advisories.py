from catalogue.models import Entry
from catalogue.serializers.fields import EntrySlugField, KindField, NumberField, TitleField
from marketplace.api.fields import TextField, TimestampField
from marketplace.api.serializers import ResponseSerializer
from marketplace.models import max_length


class AdvisorySerializer(ResponseSerializer):
    kind = KindField()
    slug = EntrySlugField()
    title = TitleField()
    number = NumberField(
        source="recalled_number",
        allow_null=True,
        help_text="The number of the version that staff recalled; null if it is the whole entry.",
    )
    reason = TextField(
        source="withdrawal_reason",
        max_length=max_length(Entry, "withdrawal_reason"),
        initial="It sends what it reads elsewhere.",
        help_text="Empty where staff gave none.",
    )
    withdrawnAt = TimestampField(source="gone_since")
