from catalogue.admin import people
from catalogue.admin.entries import PersonaAdmin, SkillAdmin
