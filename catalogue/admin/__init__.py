from catalogue.admin.entries import PersonaAdmin, SkillAdmin

__all__ = ["PersonaAdmin", "SkillAdmin"]
