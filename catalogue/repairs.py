"""The smallest repairs that make a file with frontmatter readable for every client.

Clients need a YAML mapping with the `name` of the folder and a `description`. Whatever else the
file says stays as its author wrote it.
"""

import re
from typing import NamedTuple

import yaml

from catalogue.edits import (
    Edit,
    as_text,
    edited,
    end_of_line,
    new_line,
    readable,
    value_edit,
    with_newlines_of,
)
from catalogue.fences import (
    CLIENT_FIELDS,
    NEWLINE,
    Refused,
    as_key,
    closed,
    fenced,
    line_at,
    missing_fence,
)
from catalogue.frontmatter import plain_newlines, read_frontmatter
from catalogue.quoting import Quoter
from catalogue.yaml_fields import (
    Reader,
    UnreadableYaml,
    as_yaml,
    is_null,
    is_text,
    read_mapping,
    read_yaml,
)

REPAIRS = ("newlines", "name", "description", "quoting", "frontmatter")
TEXTS = ("name", "description")  # the fields that clients need
LONE_CR = re.compile(r"\r(?!\n)")
FIRST = 2  # the line below the first fence


class Repaired(NamedTuple):
    """The text to serve, and the names of its REPAIRS, in their order."""

    text: str
    repairs: list


def repair(text, name, description):
    """The Repaired text of a file. `description` is for a file that has none."""
    try:
        fields = read_frontmatter(text)[0].fields
    except Refused:
        return Repaired(below_new_frontmatter(text, name, description), ["frontmatter"])
    ended = closed(text)
    plain = with_line_feeds(ended)
    match, needs = fenced(plain), needs_of(fields, name, description)
    lines, names = repaired_lines(match[1], fields, needs) or new_lines(plain, fields, needs)
    fences = {"frontmatter": ended != text, "newlines": plain != ended}
    names |= {name for name, is_changed in fences.items() if is_changed}
    text = f"{plain[: match.start(1)]}{lines}{plain[match.end(1) :]}"
    return Repaired(text, [name for name in REPAIRS if name in names])


def with_line_feeds(text):
    """The text with plain newlines in its frontmatter if a lone CR ends a line of ---.

    YAML takes a CR for a newline, but clients look for these lines by LF.
    """
    match = fenced(text)
    fences = text[: match.start(1)], text[max(match.end(1) - 2, 0) : match.end()]
    if not any(map(LONE_CR.search, fences)):
        return text
    return plain_newlines(text[: match.end()]) + text[match.end() :]


def repairs_between(text, served):
    """The names of the repairs that have made the `served` text of a text."""
    if text == served:
        return []
    fields = read_frontmatter(served)[0].fields
    again = repair(text, fields["name"], fields["description"])
    return again.repairs if again.text == served else ["frontmatter"]  # of an older release


def below_new_frontmatter(text, name, description):
    """The whole text, below frontmatter that says only what clients need."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = as_yaml({"name": as_text(name), "description": as_text(description)})
    return mark + with_newlines_of(text, f"---\n{lines}---\n\n") + text.removeprefix(mark)


def new_lines(text, fields, needs):
    """Every field, written anew, and the names of the repairs."""
    names = {need.repair for need in needs.values()} - {"quoting"}
    lines = as_yaml(fields_as_needed(fields, needs))
    return with_newlines_of(text, lines), {*names, "frontmatter"}


# The needs of a file


class Need(NamedTuple):
    """The value that a field must have.

    `key` is its key in the file, or None. `value` is None if it stays. `repair` is a name, or "".
    """

    key: str | None
    value: str | None
    repair: str


def needs_of(fields, name, description):
    """The Needs of a file, by the names of the fields."""
    keys = {as_key(key): key for key in fields} | {key: key for key in fields}
    others = [field for field in CLIENT_FIELDS if field not in {*fields, *TEXTS}]
    misspelled = {field: keys.get(as_key(field)) for field in others}
    return {
        "name": name_need(keys.get("name"), fields, name),
        "description": description_need(keys.get("description"), fields, description),
        **{field: Need(key, None, "name") for field, key in misspelled.items() if key},
    }


def name_need(key, fields, name):
    is_good = key == "name" and fields[key] == name and is_text(fields[key])
    return Need(key, name, "" if is_good else "name")


def description_need(key, fields, description):
    value = fields.get(key)
    if not isinstance(value, str) or is_null(value) or not value.strip():
        return Need(key, description, "description")
    if key != "description":
        return Need(key, value, "description")
    return Need(key, value, "" if is_text(value) else "quoting")


def fields_as_needed(fields, needs):
    """Every field, with what clients need first."""
    first = {name: as_text(needs[name].value) for name in TEXTS}
    names = {need.key: name for name, need in needs.items()}
    return first | {
        names.get(key, key): value for key, value in fields.items() if names.get(key) not in TEXTS
    }


# Editing its lines


def repaired_lines(lines, fields, needs):
    """The lines with the smallest edits, and the names of the repairs; None if they do not help."""
    names = {need.repair for need in needs.values()}
    mapping = read_mapping(lines)
    if mapping and names == {""}:
        return lines, names
    if mapping is None:
        names.add("quoting")
        lines = Quoter(lines).quoted()
        mapping = read_mapping(lines)
    if mapping is None:
        return None
    lines = edited(lines, edits_of(lines, *mapping, needs))
    return (lines, names) if is_as_needed(read_yaml(lines), fields, needs) else None


def is_as_needed(values, fields, needs):
    """Whether the values are what clients need, and every other one is what it was."""
    is_same = values == fields_as_needed(fields, needs)
    return is_same and all(is_text(values[name]) for name in TEXTS)


def edits_of(lines, values, fields, needs):
    place = 0  # of a new line: below the one before it
    for name, need in needs.items():
        if need.repair and need.key is None:
            yield Edit(place, place, new_line(lines, fields, name, need.value))
            continue
        field = fields[need.key]
        if need.key != name:
            yield Edit(*field.key, name)
        value = values[need.key]
        if need.value is not None and not (value == need.value and is_text(value)):
            yield value_edit(lines, field, need.value)
        place = end_of_line(lines, field.value[1])


# Where a file needs them


def line_of_repair(text, name):
    """The line of a file that a repair is about; None if the file has no such field."""
    try:
        place, lines = missing_fence(text), fenced(closed(text))[1]
    except Refused:
        return None
    if name == "newlines":
        return 1
    if name == "frontmatter" and place is not None:
        return line_at(text, place)
    if name == "frontmatter" or (name == "quoting" and read_mapping(lines) is None):
        return problem_of(text)[0]
    lines = readable(lines)
    _, fields = read_mapping(lines) or ({}, {})
    key = key_of_repair([key for key in fields if isinstance(key, str)], name)
    return key and FIRST + len(re.findall(NEWLINE, lines[: fields[key].key[0]]))


def key_of_repair(keys, name):
    """The key of the field that a repair is about, or None."""
    known = {as_key(field): field for field in CLIENT_FIELDS if field not in TEXTS}
    if name == "name":
        misspelled = [key for key in keys if known.get(as_key(key), key) != key]
        if misspelled:
            return misspelled[0]
    field = "description" if name == "quoting" else name
    return next((key for key in keys if as_key(key) == field), None)


def problem_of(text):
    """The line and the first thing in a file's frontmatter that some YAML readers refuse."""
    reader = Reader(fenced(closed(text))[1])
    try:
        reader.read()
    except yaml.MarkedYAMLError as error:
        return FIRST + error.problem_mark.line, f"YAML says {error.problem}"
    except yaml.YAMLError:
        return FIRST, "a character that YAML forbids"
    except UnreadableYaml as error:
        return FIRST + reader.line, str(error)
    return FIRST, "a line that cannot be edited by itself"
