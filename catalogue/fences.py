"""Where the frontmatter of a file begins and ends."""

import re
from contextlib import suppress
from functools import lru_cache

from catalogue.quoting import KEY, LINES, Quoter, chunks_of, is_said
from catalogue.yaml_fields import read_mapping, read_yaml

MAX_FRONTMATTER = 64 * 1024  # characters
NEWLINE = r"(?:\r\n|\r|\n)"
# The first line of a file with frontmatter.
OPENING = re.compile(rf"\ufeff?---[ \t]*({NEWLINE})")
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
# The fields that clients read, as they spell them: of Agent Skills, and of skills and subagents in
# Claude Code.
CLIENT_FIELDS = (
    *("name", "description", "license", "compatibility", "metadata", "allowed-tools"),
    *("disable-model-invocation", "user-invocable", "argument-hint", "arguments", "when_to_use"),
    *("disallowed-tools", "context", "agent", "paths", "shell", "tools", "disallowedTools"),
    *("permissionMode", "maxTurns", "skills", "mcpServers", "hooks", "memory", "background"),
    *("model", "effort", "isolation", "color", "initialPrompt"),
)
KNOWN_TO_ANYONE = KNOWN.union(map(str.casefold, CLIENT_FIELDS))
# Looks like a line of ---, with spaces or signs that nobody sees, or with dashes.
LIKE_FENCE = re.compile(
    r"[\s\ufeff\u200b-\u200f\u2060]*[-\u2010-\u2015\u2212]{3,}[\s\u200b-\u200f\u2060]*"
)
# Looks like a colon and a space, but YAML does not read it as one.
WIDE_COLON = re.compile(r"[A-Za-z_][\w-]*\s*(?:\uff1a|:[^\S \t\r\n])")
HEADING = re.compile(r"#{1,6}[ \t]")
MARKDOWN = re.compile(r"#{1,6}[ \t]|```|~~~")  # a heading or code, which values rarely have


class Refused(Exception):
    """A file that cannot be used; its text says why."""


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
    is_open = OPENING.match(text) is not None
    similar = (number for number, line in enumerate(lines, 1) if LIKE_FENCE.fullmatch(line))
    number = next((number for number in similar if not (is_open and number == 1)), 0)
    if number == 1 or (is_open and number):
        return f"; line {number} must be --- and nothing else"
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


def key_of(chunk):
    """The key of a field and the text after it; ("", "") if it has no key."""
    match = KEY.match(chunk)
    if match is None or not match[3]:
        return "", ""
    return match[3].rstrip(" \t:").strip("\"'"), chunk[match.end() :]


# Frontmatter that no line of --- ends


def closed(text):
    """The text with a line of --- where its frontmatter has to end and does not. Raises Refused."""
    place = missing_fence(text)
    if place is None:
        return text
    return f"{text[:place]}---{OPENING.match(text)[1]}{text[place:]}"


def body_start(text):
    """Where the text below the frontmatter starts; 0 if there is no frontmatter."""
    place = None
    with suppress(Refused):
        place = missing_fence(text)
    if place is not None:
        return place
    match = FENCED.match(text)
    return match.end() if match else 0


def line_at(text, place):
    """The number of the line that starts at this place."""
    return len(LINES.findall(text[:place])) + 1


@lru_cache(maxsize=8)
def missing_fence(text):
    """Where the first line starts that can belong to no field, or None.

    If known fields follow that line, it continues a value. Raises Refused if a heading or code is
    there, too.
    """
    opening, match = OPENING.match(text), FENCED.match(text)
    if opening is None or (match and is_readable(match[1])):
        return None
    start = opening.end()
    block = match[1] if match else text[start : start + MAX_FRONTMATTER]
    known, foreign = known_and_foreign(block)
    if known is None or (match and foreign == len(block)):
        return None
    stop = first_heading(block, known, foreign)
    if match and any(map(is_known, LINES.findall(block[foreign:]))):
        if MARKDOWN.match(block, stop):
            number = line_at(text, start + stop)
            raise Refused(
                f"line {number} is no field: if the text begins there, write --- above it"
            )
        return None
    return None if stop == len(block) else start + stop


def is_readable(block):
    return len(block) > MAX_FRONTMATTER or read_mapping(block) is not None


def known_and_foreign(block):
    """Where the last known field starts above the first foreign line, and that line.

    The first is None if there is no such field, the second is the block's end if every line can
    belong to a field.
    """
    position, known, quoter = 0, None, Quoter(block)
    for chunk in chunks_of(block):
        known = position if is_known(chunk) else known
        line = None if quoter.is_readable(chunk) else foreign_line(chunk)
        if line is not None:
            return known, position + line
        position += len(chunk)
    return known, len(block)


def is_known(chunk):
    key, _ = key_of(chunk)
    return chunk.startswith((key, '"', "'")) and as_key(key) in KNOWN_TO_ANYONE


def foreign_line(chunk):
    """Where the first line starts in a field that cannot continue its value, or None.

    Such a line is not indented, and below a blank line or a heading.
    """
    position, above = 0, None
    for line in LINES.findall(chunk):
        is_apart = above is not None and not is_said(above)
        if is_apart and is_said(line) and not may_continue(line, chunk):
            return position
        position, above = position + len(line), line
    return None


def may_continue(line, chunk):
    """Whether a line of a field's chunk is indented, an item of its list, or a misspelled field."""
    _, value = key_of(chunk)
    is_item = line.startswith("-") and not is_said(LINES.match(value)[0] if value else "")
    return line[0].isspace() or is_item or WIDE_COLON.match(line)


def first_heading(block, start, stop):
    """Where the first heading starts above the text that begins at `stop`, or `stop`."""
    heading, position = None, start
    for line in LINES.findall(block[start:stop]):
        if HEADING.match(line):
            heading = position if heading is None else heading
        elif is_said(line) and (line[0].isspace() or line.startswith("-")):
            heading = None  # a comment in a value
        position += len(line)
    return stop if heading is None else heading
