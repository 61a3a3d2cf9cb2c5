from catalogue.admin.entries import PersonaAdmin, SkillAdmin
