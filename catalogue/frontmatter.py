"""A lenient reader for the frontmatter of real skills and personas."""

import re
import textwrap

from catalogue.quoting import KEY, LINES, Quoter, chunks_of, is_said, lines_and_end
from catalogue.yaml_fields import read_yaml
from marketplace.secrets import holds_token

MAX_BYTES = 1024 * 1024
MAX_FRONTMATTER = 64 * 1024  # characters
MAX_DESCRIPTION = 1024  # UTF-16 code units, as the format's own tools count
RECOMMENDED_TOKENS = 5_000  # of a SKILL.md at most (agentskills.io)
NEWLINE = r"(?:\r\n|\r|\n)"
# The fields, with their last newline, and the line that ends them.
FENCED = re.compile(
    rf"\ufeff?---[ \t]*{NEWLINE}((?:.*?{NEWLINE})??)(---[^\r\n]*|\.\.\.[ \t]*)(?:{NEWLINE}|\Z)",
    re.DOTALL,
)
# Without one of these, in any case, a mapping is rather a note between two rules of Markdown.
KNOWN = {
    *("name", "description", "title", "category", "author", "version", "license", "tags"),
    *("runtimes", "skills", "pricecents", "metadata", "compatibility", "allowed-tools", "tools"),
    *("model", "color", "hooks", "disable-model-invocation", "user-invocable", "argument-hint"),
}
# Looks like a line of ---, with spaces or signs that nobody sees, or with dashes.
LIKE_FENCE = re.compile(
    r"[\s\ufeff\u200b-\u200f\u2060]*[-\u2010-\u2015\u2212]{3,}[\s\u200b-\u200f\u2060]*"
)
# Looks like a colon and a space, but YAML does not read it as one.
WIDE_COLON = re.compile(r"[A-Za-z_][\w-]*\s*(?:\uff1a|:[^\S \t\r\n])")
EMPTY = {"", "null", "~"}
INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates


class Refused(Exception):
    """A file that cannot be used; its text says why."""


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


def fenced(text):
    """The match of FENCED. Raises Refused."""
    match = FENCED.match(text)
    if match is None:
        raise Refused(
            "no frontmatter: the file must begin with fields between two lines of ---"
            + first_fence(text[:MAX_FRONTMATTER])
        )
    if match[2].rstrip(" \t") != "---":
        number = len(LINES.findall(match[1])) + 2
        found = match[2].strip(" \t")[:20].encode("unicode_escape").decode()
        raise Refused(f"line {number} must be --- to end the frontmatter, not {found}")
    return match


def first_fence(text):
    """The reason why the first line that may be meant as --- is not one, or ""."""
    lines = [line.rstrip(" \t\r\n") for line in LINES.findall(text)]
    if lines and lines[0].removeprefix("\ufeff") != "---" and LIKE_FENCE.fullmatch(lines[0]):
        return "; line 1 must be --- and nothing else"
    number = next((number for number, line in enumerate(lines, 1) if line == "---"), 0)
    return f"; the first --- is line {number}" if number > 1 else ""


def check_lines(text):
    """Raises Refused if a text that is no YAML holds a line that would be lost."""
    check_fences(text)
    has_fields = False
    for number, line in enumerate(LINES.findall(text), 2):
        if WIDE_COLON.match(line):
            raise Refused(f"line {number} needs a plain colon and a plain space after its key")
        has_fields = has_fields or bool(KEY.match(line))
        if not has_fields and is_said(line):
            raise Refused(f"no frontmatter: line {number} is not `key: value`")


def check_fences(text):
    """Raises Refused if an indented line of --- is in a field that YAML cannot read."""
    number = 1
    for chunk in chunks_of(text):
        is_readable = read_yaml(chunk) is not None
        for line in LINES.findall(chunk):
            number += 1
            if line.strip() == "---" and not is_readable:
                raise Refused(f"line {number} must begin with --- to end the frontmatter")


def as_key(key):
    return key.strip().casefold()


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
        fields, key = read_yaml(chunk), KEY.match(chunk)
        if isinstance(fields, dict):
            values.update(fields)
        elif key and key[3]:
            values[key[3].rstrip(" \t:").strip("\"'")] = read_value(chunk[key.end() :])
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
