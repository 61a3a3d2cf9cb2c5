"""A lenient reader for the frontmatter of real skills and personas."""

import re
import textwrap

from catalogue.fences import (
    KNOWN,
    MAX_FRONTMATTER,
    Refused,
    as_key,
    check_lines,
    closed,
    fenced,
    key_of,
)
from catalogue.quoting import Quoter, chunks_of, lines_and_end
from catalogue.yaml_fields import read_yaml
from marketplace.secrets import holds_token

MAX_BYTES = 1024 * 1024
MAX_DESCRIPTION = 1024  # UTF-16 code units, as the format's own tools count
RECOMMENDED_TOKENS = 5_000  # of a SKILL.md at most (agentskills.io)
EMPTY = {"", "null", "~"}
INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates


def read_text(path):
    """The file's text. Raises Refused, or OSError."""
    if not path.is_file():
        path.stat()  # raises OSError if there is no file; opening a pipe could block
        raise Refused("not a regular file")
    if path.stat().st_size > MAX_BYTES:
        raise Refused(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise Refused("not UTF-8 text") from error
    if "\0" in text:
        raise Refused("contains NUL characters")
    if holds_token(text):
        raise Refused("holds a token of this marketplace")
    return text


def plain_newlines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def as_written(text):
    """The written text for comparisons, as `catalogue_written` of schema/digest.sql."""
    return plain_newlines(text.removeprefix("\ufeff"))


def with_frontmatter(yaml_lines, body):
    """The text of a file: these lines of YAML, then the body. `read_frontmatter` reads it back."""
    return f"---\n{yaml_lines}---\n\n{body.strip(chr(10))}\n"


def read_frontmatter(text):
    """The fields between the first two lines of `---`, and the body after them. Raises Refused."""
    text = closed(text)
    match = fenced(text)
    if len(match[1]) > MAX_FRONTMATTER:
        raise Refused(f"its frontmatter is longer than {MAX_FRONTMATTER // 1024} Ki characters")
    fields = read_yaml(match[1])
    if not isinstance(fields, dict):
        check_lines(match[1])
        fields = read_fields(match[1])
    if not fields:
        raise Refused("the frontmatter holds no `key: value` line")
    if KNOWN.isdisjoint(map(as_key, fields)):
        raise Refused("no frontmatter: no known field, such as name, follows the first line of ---")
    return Frontmatter(fields), text[match.end() :].strip("\r\n")


def read_fields(text):
    """The fields of a YAML mapping. Values that YAML cannot read are read as text."""
    for readable in (text, Quoter(text).quoted()):
        fields = read_yaml(readable)
        if isinstance(fields, dict):
            return fields
    return read_field_by_field(readable)


def read_field_by_field(text):
    """The fields of a text that is no YAML as a whole, such as one with duplicate keys."""
    values = {}
    for chunk in chunks_of(text):
        fields, (key, value) = read_yaml(chunk), key_of(chunk)
        if isinstance(fields, dict):
            values.update(fields)
        elif key:
            values[key] = read_value(value)
    return values


def read_value(text):
    """A value that YAML cannot read at its place: a block, or a text on one line."""
    (first, *more), _ = lines_and_end(text)
    if more and not first.strip():
        block = textwrap.dedent("".join(more).expandtabs(2))
        fields = read_yaml(Quoter(block).quoted())
        if isinstance(fields, (dict, list)):
            return fields
    return " ".join(part for line in [first, *more] if (part := line.strip()))


class Frontmatter:
    """Frontmatter, looked up under `metadata` first and at the top level otherwise.

    `name`, `description` and `license` belong to the format itself, so only the top level has them.
    """

    TOP_LEVEL = ("name", "description", "license")

    def __init__(self, fields):
        metadata = without_case(fields).get("metadata")
        if isinstance(metadata, str):
            metadata = read_fields(metadata)
        self.fields = fields
        self.metadata = metadata if isinstance(metadata, dict) else {}
        self.values = [without_case(self.metadata), without_case(fields)]

    def get(self, name):
        """The field as it is written: text, list or dict; None if it is absent or empty."""
        for fields in self.values[name in self.TOP_LEVEL :]:
            value = fields.get(name, fields.get(as_key(name)))
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


def without_case(fields):
    """The fields by their keys in lower case, and as they are written, which is read first."""
    return {as_key(key): value for key, value in fields.items()} | fields


def one_line(text):
    return " ".join(INVISIBLE.sub(" ", text).split())


def utf16_length(text):
    return len(text.encode("utf-16-le")) // 2


def utf16_cut(text, length):
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")
