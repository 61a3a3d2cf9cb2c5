from installs.models.installs import PersonaInstall, SkillInstall, take_turn
