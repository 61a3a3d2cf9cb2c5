"""The query strings of lists of entries and their versions."""

from functools import partial

from django.db.models import F, Q

from catalogue.models import Kind
from catalogue.serializers.fields import KindField
from marketplace.api.list_queries import Filter, ListQuery, Sort


def one_of(choices, text):
    if text not in choices:
        raise ValueError(text)
    return text


KIND_FILTER = Filter(
    lambda value: Q(kind=value),
    "Only entries of this kind.",
    field=KindField(),
    error=f"kind must be one of {', '.join(Kind.values)}",
    parse=partial(one_of, Kind.values),
)


class VersionQuery(ListQuery):
    """For the versions of the entry with the bound `slug`."""

    cursor_name = "VersionFilterSet"
    sorts = {"newest": Sort(F("number"), "Newest")}
    default_sort = "newest"
