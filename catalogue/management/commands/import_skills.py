from catalogue.importing import SkillImporter
from catalogue.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Import every folder below PATH that holds a SKILL.md as a skill, and publish it."
    importer_class = SkillImporter
    kind = "skills"
