from installs.models.base import take_turn
from installs.models.installs import PersonaInstall, SkillInstall
