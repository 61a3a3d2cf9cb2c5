from installs.models.installs import PersonaInstall, SkillInstall
from installs.models.querysets import take_turn
