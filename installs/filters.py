"""The query strings of an agent's lists of what it has (lifecycle 11)."""

from django.db.models import F

from marketplace.api.filtersets import FilterSet
from marketplace.db.keysets import Sort


class OwnFilterSet(FilterSet):
    """What the bound `agent` has; the order alone is the profile's."""

    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"


class OwnSkillFilterSet(OwnFilterSet):
    """For the cursors, which are those of one list."""


class OwnPersonaFilterSet(OwnFilterSet):
    """The same."""
