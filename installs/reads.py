"""An agent's installs, read from the primary, so that agents see their own writes."""

from installs.models import PersonaInstall, SkillInstall
from marketplace.api.lists import FilteredList


@FilteredList
def skills(agent):
    return SkillInstall.objects.present().filter(agent_id=agent).with_entry()


@FilteredList
def personas(agent):
    return PersonaInstall.objects.present().filter(agent_id=agent).with_entry()
