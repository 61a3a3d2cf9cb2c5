"""The findings of a file's frontmatter as YAML reads it."""

import json
import re

from catalogue.fences import Refused, as_key, body_start
from catalogue.findings import limited
from catalogue.frontmatter import read_frontmatter
from catalogue.quoting import LINES
from marketplace.hidden_text import hidden_characters, refused_characters

# Fields by which a client runs commands, or lets the agent do more without asking.
GRANTING = {"allowed-tools", "hooks", "mcpservers", "permissionmode"}
# YAML writes any letter with a backslash.
MAY_GRANT = re.compile(r"\\|" + "|".join(GRANTING), re.IGNORECASE)
MAX_VALUE = 1000  # characters that a finding quotes


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
        if as_key(key) in GRANTING:
            quoted = json.dumps(value, ensure_ascii=False)
            if len(quoted) > MAX_VALUE:
                quoted = f'{quoted[:MAX_VALUE]}…"'  # which never counts as known
            yield line, f"{key}: {quoted}"


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
