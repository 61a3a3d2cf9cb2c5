"""The admin of skills, personas, what staff imported, and what nobody found."""

from catalogue.admin.entries import PersonaAdmin, SkillAdmin
from catalogue.admin.imports import ImportRunAdmin
from catalogue.admin.zero_results import ZeroResultSearchAdmin

__all__ = ["ImportRunAdmin", "PersonaAdmin", "SkillAdmin", "ZeroResultSearchAdmin"]
