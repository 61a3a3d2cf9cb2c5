"""How two values differ by line and by word, for templates/_changes.html."""

import re
from datetime import datetime
from difflib import SequenceMatcher
from itertools import zip_longest

MAX_LINES = 5000  # of a text that is compared
MAX_PAIRS = 2_000_000  # of words that are compared with each other, of all lines
CONTEXT = 2  # unchanged lines around a change
WORDS = re.compile(r"\w+|\s+|.")
ALIKE = 0.5  # the share of common words from which a line counts as edited


def change_of(name, old, new):
    """The change of a value, as {"name", "diff"}.

    `diff` has a (kind, parts) for each line, of kind add, del, same or place. Its parts are
    (is_changed, text).
    """
    return {"name": name, "diff": list(diff_lines(text_of(old), text_of(new)))}


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
        yield place(f"{len(before):,} lines became {len(after):,}: too many to compare here")
        return
    groups = list(SequenceMatcher(None, before, after).get_grouped_opcodes(CONTEXT))
    if not groups and old != new:
        yield place("only the line ends differ")
    words = WordComparison()
    for number, group in enumerate(groups):
        if number:
            yield place("…")
        for kind, start, stop, new_start, new_stop in group:
            if kind == "equal":
                yield from (("same", whole(line)) for line in before[start:stop])
            else:
                yield from words.changed_lines(before[start:stop], after[new_start:new_stop])


class WordComparison:
    """Compares lines by word for as long as that takes no noticeable time."""

    def __init__(self):
        self.room = MAX_PAIRS

    def changed_lines(self, before, after):
        """The lines before and after a change; those in the same place are compared by word."""
        pairs = [self.compare(old, new) for old, new in zip_longest(before, after)]
        yield from (("del", old) for old, _ in pairs if old is not None)
        yield from (("add", new) for _, new in pairs if new is not None)

    def compare(self, old, new):
        """The parts of both lines; None for a line that there is not."""
        if old is None or new is None:
            return tuple(None if line is None else whole(line) for line in (old, new))
        before, after = WORDS.findall(old), WORDS.findall(new)
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        pairs = len(before) * len(after)
        if pairs > self.room or matcher.quick_ratio() < ALIKE:
            return whole(old), whole(new)
        self.room -= pairs
        codes = matcher.get_opcodes()
        return (
            [(kind != "equal", "".join(before[a:b])) for kind, a, b, _, _ in codes if a < b],
            [(kind != "equal", "".join(after[c:d])) for kind, _, _, c, d in codes if c < d],
        )


def place(text):
    return "place", whole(text)


def whole(line):
    return [(False, line or " ")]
