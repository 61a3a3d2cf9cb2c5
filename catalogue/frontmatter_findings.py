"""The findings of a file's frontmatter as YAML reads it."""

import re

from catalogue.fences import Refused, as_key, body_start
from catalogue.findings import limited, quoted
from catalogue.frontmatter import read_frontmatter
from catalogue.quoting import LINES
from marketplace.hidden_text import hidden_characters, refused_characters

# The `plain` names of fields by which a client runs commands, or lets the agent do more without
# asking. `<<` copies the fields of another mapping.
GRANTING = {
    *("allowedtools", "hooks", "mcpservers", "permissionmode", "<<"),
    *("permission", "approvalmode"),  # of opencode and Qwen Code
}
LIMITING = {"tools", "disallowedtools"}  # without them, an agent may use every tool
# YAML writes any letter with a backslash.
MAY_GRANT = re.compile(r"\\|<<|allowed|approval|hooks|mcp|permission", re.IGNORECASE)


def escaped_characters(text, find=refused_characters):
    """`[(line, name)]` of what `find` finds in values that YAML writes with escapes."""
    if "\\" not in text[: body_start(text)]:
        return
    for key, value, line in fields_of(text):
        parts = texts_in([key, value])
        reasons = (what for part in parts for _, what in find(part))
        for what in dict.fromkeys(reasons):
            yield line, what


def escaped_findings(path, text):
    places = [*escaped_characters(text, hidden_characters)]
    plain = places and {what for _, what in hidden_characters(text[: body_start(text)])}
    return limited("hidden-text", path, (place for place in places if place[1] not in plain))


def granting_fields(text):
    """The fields that grant rights to an agent's client, with their values: `[(line, what)]`."""
    if not MAY_GRANT.search(text, 0, body_start(text)):
        return
    for key, value, line in fields_of(text):
        if value and plain(key) in GRANTING:
            yield line, f"{key}: {quoted(value)}"


def rights_of(text):
    """The fields that grant or limit rights: `{key: value}`."""
    fields = fields_of(text)
    return {key: value for key, value, _ in fields if plain(key) in GRANTING | LIMITING}


def plain(key):
    """The key in lower case, without hyphens: some clients write `mcp-servers`."""
    return as_key(key).translate({ord("-"): None, ord("_"): None})


def fields_of(text):
    """Each field of the frontmatter, as (key, value, line). No fields if it cannot be read."""
    try:
        fields = read_frontmatter(text)[0].fields
    except Refused:
        return
    lines = lines_of_fields(text[: body_start(text)])
    for key, value in fields.items():
        yield key, value, lines.get(key, 2)


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


def lines_of_fields(frontmatter):
    """`{key: line}`, without keys that are written in another way."""
    lines = {}
    for number, line in enumerate(LINES.findall(frontmatter), 1):
        key = line.partition(":")[0].strip("\"'")
        lines.setdefault(key.rstrip(" \t\"'"), number)
    return lines
