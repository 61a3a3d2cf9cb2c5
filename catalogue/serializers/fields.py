"""Fields that show an entry or name one."""

from catalogue.models import MAX_NUMBER, Entry, Kind
from marketplace.api.fields import ChoiceField, CountField, TextField
from marketplace.models import SLUG, max_length

UNKNOWN = "Empty if it is not known."
# The examples for personas, and for what bundles or installs one.
PERSONA_SLUG, PERSONA_TITLE = "archivist", "Archivist"


class KindField(ChoiceField):
    def __init__(self, **options):
        super().__init__(Kind.values, **options)


class EntrySlugField(TextField):
    max_length = max_length(Entry, "slug")
    pattern = f"^{SLUG}$"
    initial = "pdf-tables"


class TitleField(TextField):
    max_length = max_length(Entry, "title")
    initial = "PDF Tables"


class DescriptionField(TextField):
    initial = "Extracts tables from PDF files into CSV."


class VersionField(TextField):
    help_text = UNKNOWN
    max_length = max_length(Entry, "version")
    initial = "1.6.0"


class VersionNumberField(CountField):
    help_text = "The number of the version. Each published text gets the next one: 1, 2, 3."
    initial = 3
    keywords = {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER}


class ContextTokensField(CountField):
    help_text = "The approximate cost of `content` in tokens: characters / 4."


class PathField(TextField):
    keywords = {"type": "string", "minLength": 1}
    initial = "scripts/tables.py"


class SkillMdField(TextField):
    component = "SkillMd"
    keywords = {
        "type": "string",
        "description": "Frontmatter between two lines of `---`, then Markdown.",
    }
    initial = "---\nname: pdf-tables\ndescription: Extracts tables from PDF files into CSV.\n---\n"


class BytesField(TextField):
    component = "Bytes"
    keywords = {"type": "string", "format": "binary"}
    initial = "print('tables')"
