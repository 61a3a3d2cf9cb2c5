"""Reading the files of skills and personas as they are found in the wild, not as they should be."""

import json
import re
import unicodedata
from dataclasses import dataclass, field

import yaml
from django.utils.text import slugify

MAX_BYTES = 1024 * 1024
FRONTMATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)")
EMPTY = {"", "null", "~", "|", ">", "|-", ">-"}


class Refused(Exception):
    """A file that cannot be used, and why."""


def read_text(path):
    """The file's text with plain newlines. Raises Refused."""
    if path.stat().st_size > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("not UTF-8 text") from error
    if "\0" in text:
        raise Refused("contains NUL characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_frontmatter(text):
    """The fields between the first two lines of `---`, and the body after them. Raises Refused."""
    fenced = FRONTMATTER.match(text)
    if fenced is None:
        raise Refused("no frontmatter: the file must begin with fields between two lines of ---")
    fields = parse_yaml(fenced[1])
    if not isinstance(fields, dict):
        fields = read_line_by_line(fenced[1])
    if not fields:
        raise Refused("the frontmatter holds no `key: value` line")
    return fields, text[fenced.end() :].strip("\n")


def parse_yaml(text):
    """The YAML, every scalar as the text that stands there (a date or 1.10 is no number here)."""
    try:
        # This loader builds only str, list and dict.
        return yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506  # nosec B506
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def read_line_by_line(text):
    """What can be saved of frontmatter that is no YAML, such as an unquoted colon in a text."""
    fields, name = {}, None
    for line in text.split("\n"):
        if found := LINE.fullmatch(line.rstrip()):
            name, value = found[1], found[2].strip()
            fields[name] = flow_value(value)
        elif name and line[:1] in {" ", "\t", "-"} and line.strip():
            continue_value(fields, name, line.strip())
    return fields


def flow_value(value):
    if value[:1] in {"[", "{", '"', "'"}:
        parsed = parse_yaml(value)
        return value.strip("\"'") if parsed is None else parsed
    return value


def continue_value(fields, name, line):
    value = fields[name]
    if line.startswith("- "):
        fields[name] = [*(value if isinstance(value, list) else []), line[2:].strip("\"' ")]
    elif isinstance(value, str):
        fields[name] = line if value in EMPTY else f"{value} {line}"


@dataclass
class Fields:
    """Frontmatter, looked up under `metadata` first and at the top level otherwise."""

    fields: dict
    metadata: dict = field(init=False)

    def __post_init__(self):
        metadata = self.fields.get("metadata")
        if isinstance(metadata, str):
            try:
                metadata = json.loads(metadata)
            except ValueError:
                metadata = read_line_by_line(metadata)
        self.metadata = metadata if isinstance(metadata, dict) else {}

    def get(self, name):
        value = self.metadata.get(name)
        return self.fields.get(name) if value in (None, "", []) else value

    def line(self, name):
        """A text on one line, without control characters; what is no text counts as absent."""
        value = self.get(name)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = ", ".join(value)
        return one_line(value) if isinstance(value, str) and value not in EMPTY else ""

    def words(self, name):
        """A list of texts, written as a list or separated by commas; without doubles."""
        value = self.get(name)
        if isinstance(value, str):
            value = value.strip("[]").split(",") if value not in EMPTY else []
        if not isinstance(value, list):
            return []
        words = (one_line(word).strip("\"'") for word in value if isinstance(word, str))
        return list(dict.fromkeys(word for word in words if word))


def one_line(text):
    visible = "".join(
        " " if character.isspace() or unicodedata.category(character) == "Cc" else character
        for character in text
    )
    return " ".join(visible.split())


def as_slug(name):
    """The nearest slug: lower case, ASCII, hyphens; "" where nothing is left of the name."""
    return re.sub(r"-+", "-", slugify(name).replace("_", "-")).strip("-")[:64].strip("-")
