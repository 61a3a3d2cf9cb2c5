"""The query strings of an agent's lists of what it has (contract 13.1)."""

from django.db.models import F

from marketplace.api.filtersets import FilterSet
from marketplace.api.keysets import Sort


class OwnFilterSet(FilterSet):
    """The bound `agent`'s installs, newest first as in the profile."""

    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"


class OwnSkillFilterSet(OwnFilterSet):
    """A class of its own, because a cursor is only valid for the list it came from."""


class OwnPersonaFilterSet(OwnFilterSet):
    """See OwnSkillFilterSet."""
