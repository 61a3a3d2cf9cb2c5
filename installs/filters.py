"""The query strings of an agent's lists of what it has (lifecycle 11)."""

from django.db.models import F

from installs.models import PersonaInstall, SkillInstall
from marketplace.api.filtersets import FilterSet
from marketplace.api.keysets import Sort
from marketplace.db.compiled_queries import BindParam


class OwnFilterSet(FilterSet):
    """What the `agent` has; the order alone is the profile's."""

    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"


def own(model):
    return model.objects.present().filter(agent_id=BindParam("agent")).with_entry()


class OwnSkillFilterSet(OwnFilterSet):
    queryset = own(SkillInstall)


class OwnPersonaFilterSet(OwnFilterSet):
    queryset = own(PersonaInstall)
