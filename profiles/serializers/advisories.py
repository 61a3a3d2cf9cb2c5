from catalogue.models import Entry
from catalogue.serializers.fields import EntrySlugField, KindField, TitleField
from marketplace.api.fields import TextField, TimestampField
from marketplace.api.serializers import ResponseSerializer
from marketplace.models import max_length


class AdvisorySerializer(ResponseSerializer):
    kind = KindField()
    slug = EntrySlugField()
    title = TitleField()
    reason = TextField(
        source="withdrawal_reason",
        max_length=max_length(Entry, "withdrawal_reason"),
        initial="It sends what it reads elsewhere.",
        help_text="Empty where staff gave none.",
    )
    withdrawnAt = TimestampField(source="gone_since")
