from installs.models.days import PersonaDay, SkillDay
from installs.models.installs import PersonaInstall, SkillInstall, take_turn
