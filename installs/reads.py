"""What an agent has; always from the primary, so that it reads what it has just written."""

from installs.models import PersonaInstall, SkillInstall
from marketplace.http_cache.lists import FilteredList


@FilteredList
def skills(agent):
    return SkillInstall.objects.present().filter(agent_id=agent).with_entry()


@FilteredList
def personas(agent):
    return PersonaInstall.objects.present().filter(agent_id=agent).with_entry()
