"""A lenient reader for the frontmatter of real skills and personas."""

import re
import textwrap
import unicodedata

import yaml

from marketplace.secrets import holds_token

MAX_BYTES = 1024 * 1024
MAX_FRONTMATTER = 64 * 1024  # characters
MAX_DEPTH = 100
MAX_DESCRIPTION = 1024  # UTF-16 code units, as the format's own tools count
RECOMMENDED_TOKENS = 5_000  # of a SKILL.md at most (agentskills.io)
FENCED = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
EMPTY = {"", "null", "~"}
BLOCKS = {"|", ">", "|-", ">-", "|+", ">+"}
INVISIBLE = {"Cc", "Cs"}  # control characters and lone surrogates


class Refused(Exception):
    """A file that cannot be used; its text says why."""


def read_text(path):
    """The file's text with plain newlines. Raises Refused, or OSError."""
    if not path.is_file():
        path.stat()  # raises OSError if there is no file; opening a pipe could block
        raise Refused("not a regular file")
    if path.stat().st_size > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("not UTF-8 text") from error
    if "\0" in text:
        raise Refused("contains NUL characters")
    if holds_token(text):
        raise Refused("holds a token of this marketplace")
    return plain_newlines(text)


def plain_newlines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_frontmatter(yaml_lines, body):
    """The text of a file: these lines of YAML, then the body. `read_frontmatter` reads it back."""
    return f"---\n{yaml_lines}---\n\n{body.strip(chr(10))}\n"


def read_frontmatter(text):
    """The fields between the first two lines of `---`, and the body after them. Raises Refused."""
    match = FENCED.match(text)
    if match is None:
        raise Refused("no frontmatter: the file must begin with fields between two lines of ---")
    if len(match[1]) > MAX_FRONTMATTER:
        raise Refused(f"its frontmatter is longer than {MAX_FRONTMATTER // 1024} Ki characters")
    fields = read_fields(match[1])
    if not fields:
        raise Refused("the frontmatter holds no `key: value` line")
    return Frontmatter(fields), text[match.end() :].strip("\n")


def read_fields(text):
    """The fields of a YAML mapping; if the text is not one, whatever can be read line by line."""
    fields = parse_yaml(text)
    return fields if isinstance(fields, dict) else read_line_by_line(text)


def parse_yaml(text):
    """The YAML with every scalar as text: neither 1.10 nor a date is converted."""
    try:
        if depth_of(text) > MAX_DEPTH:
            return None
        # This loader builds only str, list and dict.
        return yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506  # nosec B506
    except yaml.YAMLError:
        return None


def depth_of(text):
    """How deeply the YAML nests: its loader recurses in C, and deep nesting crashes the process."""
    depth = deepest = 0
    for event in yaml.parse(text, Loader=yaml.CBaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        deepest = max(deepest, depth)
        if deepest > MAX_DEPTH:
            break  # libyaml takes time quadratic in the depth
    return deepest


def read_line_by_line(text):
    """Each `key: value` at the start of a line, with the indented lines that continue it."""
    values = {}
    for line in text.split("\n"):
        if match := LINE.fullmatch(line.rstrip()):
            values[match[1]] = ((match[2] or "").strip(), [])
        elif values and line.strip() and line[0] in " \t-":
            values[list(values)[-1]][1].append(line)
    return {name: join_lines(value, more) for name, (value, more) in values.items()}


def join_lines(value, more):
    """A field's value from its line and the lines that continue it: a list, a block or a text."""
    lines = [line.strip() for line in more]
    if value in EMPTY | BLOCKS and lines:
        if all(line.startswith("-") for line in lines):
            return [line[1:].strip().strip("\"'") for line in lines]
        if any(LINE.fullmatch(line) for line in lines):
            return textwrap.dedent("\n".join(more))
        return " ".join(lines)
    if value[:1] in {"[", "{", '"', "'"} and not lines:
        parsed = parse_yaml(value)
        return value.strip("\"'") if parsed is None else parsed
    return " ".join([value, *lines])


class Frontmatter:
    """Frontmatter, looked up under `metadata` first and at the top level otherwise.

    `name`, `description` and `license` belong to the format itself, so only the top level has them.
    """

    TOP_LEVEL = ("name", "description", "license")

    def __init__(self, fields):
        metadata = fields.get("metadata")
        if isinstance(metadata, str):
            metadata = read_fields(metadata)
        self.fields = fields
        self.metadata = metadata if isinstance(metadata, dict) else {}

    def get(self, name):
        """The field as it is written: text, list or dict; None if it is absent or empty."""
        metadata = {} if name in self.TOP_LEVEL else self.metadata
        for fields in (metadata, self.fields):
            value = fields.get(name)
            if value not in (None, [], *EMPTY):
                return value
        return None

    def line(self, name):
        """A text on one line, without control characters; "" if there is none."""
        value = self.get(name)
        if isinstance(value, dict):
            # An unquoted colon on a line of its own: `description:` above `  Use when: …`.
            pairs = [(key, text) for key, text in value.items() if isinstance(text, str)]
            value = " ".join(f"{key}: {text}" for key, text in pairs)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = ", ".join(value)
        return one_line(value) if isinstance(value, str) else ""

    def words(self, name):
        """A list of texts, written as a list or separated by commas; without duplicates."""
        value = self.get(name)
        if isinstance(value, str):
            value = value.strip("[]").split(",")
        if not isinstance(value, list):
            return []
        words = (one_line(word).strip("\"'") for word in value if isinstance(word, str))
        return list(dict.fromkeys(word for word in words if word))


def one_line(text):
    visible = "".join(
        " " if unicodedata.category(character) in INVISIBLE else character for character in text
    )
    return " ".join(visible.split())


def utf16_length(text):
    return len(text.encode("utf-16-le")) // 2
