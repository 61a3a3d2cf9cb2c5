from marketplace.api.fields import CountField, TextField
from marketplace.api.serializers import ResponseSerializer


class LimitSerializer(ResponseSerializer):
    policy = TextField(initial="install")
    limit = CountField(initial=20)
    windowSeconds = CountField(source="window", initial=3600)
    remaining = CountField(initial=17)
    resetSeconds = CountField(source="seconds", initial=1284)


class LimitsSerializer(ResponseSerializer):
    """The usages of the rate limits."""

    limits = LimitSerializer(many=True, source="*")
