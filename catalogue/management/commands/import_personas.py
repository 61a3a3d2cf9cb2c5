from catalogue.importing import PersonaImporter
from catalogue.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Import every Markdown file with frontmatter below PATH as a persona, and publish it."
    importer_class = PersonaImporter
    kind = "personas"
