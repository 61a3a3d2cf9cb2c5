"""The query strings of an agent's own lists (contract 13.1)."""

from django.db.models import F

from marketplace.api.filtersets import FilterSet
from marketplace.api.keysets import Sort


class OwnFilterSet(FilterSet):
    """The bound `agent`'s installs, newest first as in the profile."""

    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"


class OwnSkillFilterSet(OwnFilterSet):
    """Separate from the other kind, because a cursor is valid only for the list it came from."""


class OwnPersonaFilterSet(OwnFilterSet):
    """See OwnSkillFilterSet."""
