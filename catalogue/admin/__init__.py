"""The admin of skills, personas and what staff imported."""

from catalogue.admin.entries import PersonaAdmin, SkillAdmin
from catalogue.admin.imports import ImportRunAdmin

__all__ = ["ImportRunAdmin", "PersonaAdmin", "SkillAdmin"]
