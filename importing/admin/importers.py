"""The importers of uploads, by the names that scripts of earlier versions import."""

from importing.confirmed import ConfirmedPersonaImporter as AdminPersonaImporter
from importing.confirmed import ConfirmedSkillImporter as AdminSkillImporter

__all__ = ["AdminPersonaImporter", "AdminSkillImporter"]
