from importing.command import ImportCommand
from importing.importers import SkillImporter


class Command(ImportCommand):
    help = "Import every folder below PATH that holds a SKILL.md as a skill, and publish it."
    importer_class = SkillImporter
    looks_for = "SKILL.md"
