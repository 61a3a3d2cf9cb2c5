"""Edits of single lines of frontmatter. Everything else stays as it is."""

import re
from typing import NamedTuple

from catalogue.fences import NEWLINE, closed, fenced
from catalogue.frontmatter import Frontmatter, read_fields
from catalogue.quoting import Quoter, in_quotes, lines_and_end
from catalogue.yaml_fields import Quoted, as_yaml, is_text, read_mapping, read_yaml


class Edit(NamedTuple):
    """A new text for a slice of the lines."""

    start: int
    stop: int
    text: str


def readable(lines):
    """The lines, with the values quoted that YAML cannot read."""
    return lines if read_mapping(lines) else Quoter(lines).quoted()


def edited(lines, edits):
    in_order = sorted(edits, key=lambda edit: edit.start)
    for edit in reversed(in_order):
        lines = f"{lines[: edit.start]}{edit.text}{lines[edit.stop :]}"
    return lines


def new_line(lines, fields, name, value):
    """A line like the other ones: with their indentation, and their newline."""
    first = min(start for (start, _), _ in fields.values())
    indent = re.search(r"[ ]*\Z", lines[:first])[0]
    return f"{indent}{name}: {as_scalar(value)}{with_newlines_of(lines, chr(10))}"


def value_edit(lines, field, value):
    """A new value after the key, on its line. What comes after the old value stays."""
    start, stop = field.value
    before = lines[field.key[1] : start]
    if "\n" in before or "\r" in before:
        start = field.key[1] + before.index(":") + 1
    stop -= len(lines_and_end(lines[start:stop])[1])
    space = "" if lines[start - 1].isspace() else " "
    return Edit(start, stop, f"{space}{as_scalar(value)}")


def end_of_line(lines, place):
    """The start of the next line, unless the place is the start of one."""
    if lines[:place].endswith(("\n", "\r")):
        return place
    return re.compile(rf"[^\r\n]*{NEWLINE}?").match(lines, place).end()


def as_scalar(text):
    """The text in YAML: plain if that reads as the same text, else in quotes. So are lists."""
    if isinstance(text, list):
        return f"[{', '.join(map(in_list, text))}]"
    if isinstance(text, int):
        return str(text)
    is_plain = text.isprintable() and is_text(text) and read_yaml(f"x: {text}") == {"x": text}
    return text if is_plain else in_quotes(text)


def in_list(text):
    return in_quotes(text) if set(",[]{}").intersection(text) else as_scalar(text)


def as_text(value):
    """The value, to be written so that every reader takes it for text."""
    return value if is_text(value) else Quoted(value)


def with_newlines_of(text, lines):
    """The lines, with the newlines that the text has."""
    newline = re.search(r"\r?\n", text)  # no client reads a field that ends in a lone CR
    return lines.replace("\n", newline[0]) if newline else lines


# Changing several fields


def with_changes(text, changes):
    """The text of a file with other values for some of its fields.

    `changes` has a text, a number, a list of texts or None, which removes the field, for each key,
    or for `("metadata", key)`. Raises Refused if the text has no frontmatter.
    """
    if not changes:
        return text
    text = closed(text)
    match = fenced(text)
    after = changed(read_fields(match[1]), changes)
    lines = readable(match[1])
    if mapping := read_mapping(lines):
        lines = edited(lines, changes_of(lines, mapping[1], changes))
    if read_yaml(lines) != after:
        lines = with_newlines_of(text, as_yaml(after))
    return f"{text[: match.start(1)]}{lines}{text[match.end(1) :]}"


def changed(fields, changes):
    """The fields after the changes. A `metadata` that was a text becomes a mapping."""
    fields, metadata = dict(fields), dict(Frontmatter(fields).metadata)
    for key, value in changes.items():
        place, name = (metadata, key[1]) if isinstance(key, tuple) else (fields, key)
        place[name] = str(value) if isinstance(value, int) else value
        if value is None:
            del place[name]
    blocks = {key[0] for key in changes if isinstance(key, tuple)}
    fields |= dict.fromkeys(blocks, metadata)
    return {key: value for key, value in fields.items() if key not in blocks or value}


def changes_of(lines, fields, changes):
    new = {key: value for key, value in changes.items() if key not in fields and value is not None}
    for key, value in changes.items():
        if key in fields and value is None:
            yield removal(lines, fields[key])
        elif key in fields:
            yield value_edit(lines, fields[key], value)
    yield from additions(lines, fields, new)


def removal(lines, field):
    start = max(lines.rfind(newline, 0, field.key[0]) for newline in "\r\n") + 1
    stop = field.value[1] - len(lines_and_end(lines[slice(*field.value)])[1])
    return Edit(start, end_of_line(lines, stop), "")


def additions(lines, fields, new):
    """New lines, below the last one of their mapping."""
    end, nested = "", {key[1]: value for key, value in new.items() if isinstance(key, tuple)}
    for key, value in new.items():
        end += "" if isinstance(key, tuple) else new_line(lines, fields, key, value)
    siblings = {key: field for key, field in fields.items() if isinstance(key, tuple)}
    if siblings:
        place = end_of_line(lines, max(field.value[1] for field in siblings.values()))
        yield Edit(
            place, place, "".join(new_line(lines, siblings, *pair) for pair in nested.items())
        )
    elif nested:
        end += with_newlines_of(lines, as_yaml({"metadata": nested}))
    yield Edit(len(lines), len(lines), end)
