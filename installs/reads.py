"""An agent's installs, read from the primary, so that agents see their own writes."""

from installs.models import PersonaInstall, SkillInstall
from marketplace.api.lists import KeysetList


class OwnInstallList(KeysetList):
    def __init__(self, model):
        self.model = model

    def get_queryset(self, agent):
        return self.model.objects.present().filter(agent_id=agent).with_entry()


skills, personas = OwnInstallList(SkillInstall), OwnInstallList(PersonaInstall)
