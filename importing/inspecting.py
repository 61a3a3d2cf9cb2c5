"""What an import says about a file before anything of it is saved (contract 28)."""

from catalogue.frontmatter import Refused
from catalogue.inspection import STRICT, inspect, refusals
from catalogue.yaml_fields import LINES
from marketplace.hidden_text import refused_characters

MAX_REASONS = 5  # that a refusal names


def check_characters(file):
    """Raises Refused for characters that no text may hold, in the file or in its fields."""
    name = file.path.name
    reasons = refusals(name, file.text) or list(refused_fields(name, file.text, file.fields))
    if reasons:
        more = len(reasons) - MAX_REASONS
        rest = [f"and {more:,} more"] if more > 0 else []
        raise Refused("; ".join([*reasons[:MAX_REASONS], *rest]))


def refused_fields(path, text, fields):
    """The same of what YAML writes with escapes, such as "\\u202e"."""
    for key, value in fields.fields.items():
        for what in dict.fromkeys(
            what for part in texts_in([key, value]) for _, what in refused_characters(part)
        ):
            yield f"{path}, line {line_of(text, key)}: {what}"


def texts_in(value):
    """Each text in a value of YAML, keys included."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


def line_of(text, key):
    """The line of a field, or of the frontmatter if its key is written in another way."""
    lines = enumerate(LINES.findall(text), 1)
    return next((number for number, line in lines if line.lstrip("\"'").startswith(key)), 2)


def findings_of(file, facts):
    """The findings of a file and its folder. Raises OSError."""
    folder = file.folder
    if folder is None:
        return inspect(file.path.name, file.text, facts)
    return inspect(
        file.path.name,
        file.text,
        facts,
        files=folder.files,
        read=lambda path: folder.places[path].read_bytes(),
    )


def check_strictly(findings):
    """Raises Refused for what `--strict` refuses."""
    codes = dict.fromkeys(finding.code for finding in findings if finding.code in STRICT)
    if codes:
        raise Refused(f"--strict refuses {', '.join(codes)}")
