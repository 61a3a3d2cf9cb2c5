"""How two values differ, for templates/admin/changes.html."""

from datetime import datetime
from difflib import SequenceMatcher, unified_diff

from django.utils.text import capfirst

MAX_LINES = 5000  # of a text that is compared line by line
MAX_INLINE = 120  # characters of a value that is compared word by word


def shown_change(name, old, new):
    """The change of a value, as {"name", "is_long", "diff"}."""
    old, new = shown_value(old), shown_value(new)
    is_long = max(len(old), len(new)) > MAX_INLINE or "\n" in old + new
    diff = diff_lines(old, new) if is_long else diff_words(old, new)
    return {"name": capfirst(name), "is_long": is_long, "diff": diff}


def shown_value(value):
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        lines = [[f"{name}: {each}" for name, each in part.items()] for part in value]
        return "\n".join(", ".join(line) for line in lines)
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {each}" for name, each in sorted(value.items()))
    if isinstance(value, datetime):
        return f"{value:%d %B %Y, %H:%M:%S}"
    return "" if value is None else str(value)


def diff_lines(old, new):
    """What changed from one text to another, as (kind, line) with kind add, del, same or place."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return [("place", f"{len(before):,} lines became {len(after):,}: too many to compare here")]
    lines = list(unified_diff(before, after, lineterm="", n=2))[2:]
    if not lines and old != new:
        return [("place", "only the line ends differ")]
    kinds = {"+": "add", "-": "del", "@": "place"}
    return [
        (kinds.get(line[0], "same"), "…" if line[0] == "@" else line[1:] or " ") for line in lines
    ]


def diff_words(old, new):
    """What changed from one short text to another, as (kind, words) with kind add, del or same."""
    before, after = old.split(" "), new.split(" ")
    parts = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(before[i1:i2])))
            continue
        parts += [("del", " ".join(before[i1:i2]))] if i2 > i1 else []
        parts += [("add", " ".join(after[j1:j2]))] if j2 > j1 else []
    return parts
