"""How two values differ, line by line, for templates/admin/changes.html."""

from datetime import datetime
from difflib import unified_diff

MAX_LINES = 5000  # of a text that is compared
KINDS = {"+": "add", "-": "del", "@": "place"}


def change_of(name, old, new):
    """The change of a value, as {"name", "diff": [(kind, line)]}; kinds: add, del, same, place."""
    return {"name": name, "diff": diff_lines(text_of(old), text_of(new))}


def text_of(value):
    if isinstance(value, list):
        return "\n".join(map(text_of, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, datetime):
        return f"{value:%d %B %Y, %H:%M:%S}"
    return "" if value is None else str(value)


def diff_lines(old, new):
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return [("place", f"{len(before):,} lines became {len(after):,}: too many to compare here")]
    # Without the two lines that name the files, and the place of the first difference.
    lines = list(unified_diff(before, after, lineterm="", n=2))[3:]
    if not lines and old != new:
        return [("place", "only the line ends differ")]
    return [
        (KINDS.get(line[0], "same"), "…" if line[0] == "@" else line[1:] or " ") for line in lines
    ]
