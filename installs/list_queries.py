"""The query strings of an agent's own lists (contract 13.1)."""

from django.db.models import F

from marketplace.api.list_queries import ListQuery, Sort


class OwnInstallQuery(ListQuery):
    """The bound `agent`'s installs, newest first as in the profile."""

    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"


class OwnSkillQuery(OwnInstallQuery):
    cursor_name = "OwnSkillFilterSet"


class OwnPersonaQuery(OwnInstallQuery):
    cursor_name = "OwnPersonaFilterSet"
