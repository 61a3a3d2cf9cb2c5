from importing.command import ImportCommand
from importing.importers import PersonaImporter


class Command(ImportCommand):
    help = "Import every Markdown file with frontmatter below PATH as a persona, and publish it."
    importer_class = PersonaImporter
    looks_for = "Markdown file with frontmatter"
