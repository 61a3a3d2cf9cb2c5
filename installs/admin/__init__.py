"""The admin of installs, and what they add to the pages of entries and of agents."""

from installs.admin import agents
from installs.admin.installs import PersonaInstallAdmin, SkillInstallAdmin
