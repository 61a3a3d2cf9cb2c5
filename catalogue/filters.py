"""The filter by kind of entry, for lists that have both."""

from functools import partial

from django.db.models import Q

from catalogue.serializers.fields import KINDS, KindField
from marketplace.api.filtersets import Filter


def one_of(choices, text):
    if text not in choices:
        raise ValueError(text)
    return text


KIND_FILTER = Filter(
    lambda value: Q(kind=value),
    "Only of this kind.",
    field=KindField(),
    error=f"kind must be one of {', '.join(KINDS)}",
    parse=partial(one_of, KINDS),
)
