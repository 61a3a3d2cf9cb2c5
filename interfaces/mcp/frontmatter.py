"""A SKILL.md's frontmatter as JSON that the clients of Skills over MCP accept (contract 22.8).

They check the fields of the Agent Skills format, and one that does not fit would cost an agent
its whole list. They also compare the JSON with the file that they read, so whatever fits is as it
is in the file.
"""

import json
from functools import partial

from catalogue.fences import FENCED
from catalogue.frontmatter import MAX_DESCRIPTION, utf16_cut, utf16_length
from catalogue.yaml_fields import as_json, is_null, read_yaml

MAX_COMPATIBILITY = 500  # UTF-16 code units, as for a description
MAX_DEPTH = 32  # lists and mappings in each other; the JSON readers of some languages stop at 64
UNSAFE = "__proto__"  # as a key, JavaScript takes it for the prototype of the object


def frontmatter_of(skill_md):
    """The frontmatter; None if it cannot be read."""
    match = FENCED.match(skill_md)
    fields = read_yaml(match[1]) if match else None
    return fitted(fields) if isinstance(fields, dict) else None


def fitted(fields):
    """The fields as JSON. Those of the format are left out if they are null or do not fit."""
    values = {
        str(key): FORMAT.get(key, as_shallow_json)(value)
        for key, value in fields.items()
        if key != UNSAFE
    }
    return {key: value for key, value in values.items() if value is not None or key not in FORMAT}


def as_shallow_json(value):
    return as_json(value) if depth_of(value) <= MAX_DEPTH else as_text(value)


def depth_of(value):
    items = value.values() if isinstance(value, dict) else value
    is_nested = isinstance(value, (dict, list))
    return 1 + max(map(depth_of, items), default=0) if is_nested else 0


def as_text(value):
    """A value as it is written, and a list or a mapping as JSON; None if it is null."""
    if isinstance(value, (dict, list)):
        return json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))
    return None if is_null(value) else str(value)


def as_short_text(length, value):
    """A text of 1 to `length` UTF-16 code units."""
    text = as_text(value) or None
    if text is None or utf16_length(text) <= length:
        return text
    return utf16_cut(text.strip(), length).strip() or None


def as_words(value):
    """A list as the format writes one: `Read Bash(git:*)`."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return as_text(value)


def as_texts(value):
    """The texts of a mapping, where null is an empty one; None if it is no mapping."""
    if not isinstance(value, dict):
        return None
    return {str(key): as_text(item) or "" for key, item in value.items()}


FORMAT = {
    "name": as_text,
    "description": partial(as_short_text, MAX_DESCRIPTION),
    "license": as_text,
    "compatibility": partial(as_short_text, MAX_COMPATIBILITY),
    "allowed-tools": as_words,
    "metadata": as_texts,
}
