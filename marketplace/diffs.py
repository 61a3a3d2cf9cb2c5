"""The differences between two values by line and by word, for templates/_changes.html."""

import re
from datetime import datetime
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest

MAX_LINES = 5000  # that one comparison examines
# The steps that difflib may take for the lines of one comparison, at about 0.1 µs each. Lines that
# repeat between lines that differ would take it seconds.
MAX_LINE_STEPS = 4_000_000
# The steps that difflib may take for the words of one comparison. It is cubic at worst.
MAX_STEPS = 20_000_000
CONTEXT = 2  # unchanged lines around a change
WORDS = re.compile(r"\w+|\s+|.")
ALIKE = 0.5  # the share of common words that makes a line count as edited


def change_of(name, old, new, comparison=None):
    """The change of a value, as {"name", "diff"}.

    `diff` has a (kind, parts) for each line. The kind is add, del, same or place; parts are
    (is_changed, text). A page with many changes shares one Comparison, which limits their cost.
    """
    comparison = comparison or Comparison()
    return {"name": name, "diff": list(comparison.diff_lines(text_of(old), text_of(new)))}


def text_of(value):
    if isinstance(value, list):
        return "\n".join(map(text_of, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, datetime):
        return f"{value:%d %B %Y, %H:%M:%S}"
    return "" if value is None else str(value)


class TooManySteps(Exception):
    pass


class LineMatcher(SequenceMatcher):
    """Raises TooManySteps when its searches take more than `steps`."""

    def __init__(self, before, after, steps):
        super().__init__(None, before, after)
        self.steps = steps

    def find_longest_match(self, alo, ahi, blo, bhi):
        # It looks up each line, and goes through the places where the other text has it.
        self.steps -= sum(2 + len(self.b2j.get(line, ())) for line in self.a[alo:ahi])
        if self.steps < 0:
            raise TooManySteps
        return super().find_longest_match(alo, ahi, blo, bhi)


class Comparison:
    """Compares texts until its limits of lines and steps are used up, in about half a second.

    Lines beyond the limits are only counted; words beyond theirs are shown without marks.
    """

    def __init__(self):
        self.lines, self.line_steps, self.steps = MAX_LINES, MAX_LINE_STEPS, MAX_STEPS

    def diff_lines(self, old, new):
        before, after = old.splitlines(), new.splitlines()
        if not before or not after:  # all of it is new, or gone
            yield from self.changed_lines(before, after)
            return
        groups = self.groups_of(before, after)
        if groups is None:
            yield place(f"{len(before):,} lines became {len(after):,}: too many to compare here")
            return
        if not groups and old != new:
            yield place("only the line ends differ")
        for number, group in enumerate(groups):
            if number:
                yield place("…")
            for kind, start, stop, new_start, new_stop in group:
                if kind == "equal":
                    yield from (("same", whole(line)) for line in before[start:stop])
                else:
                    yield from self.changed_lines(before[start:stop], after[new_start:new_stop])

    def groups_of(self, before, after):
        """The changes with their context, as opcodes of difflib; None beyond a limit."""
        self.lines -= max(len(before), len(after))
        if self.lines < 0:
            return None
        matcher = LineMatcher(before, after, self.line_steps)
        try:
            return list(matcher.get_grouped_opcodes(CONTEXT))
        except TooManySteps:
            return None
        finally:
            self.line_steps = matcher.steps

    def changed_lines(self, before, after):
        """The lines before and after a change; lines in the same place are compared by word."""
        pairs = [self.diff_words(old, new) for old, new in zip_longest(before, after)]
        yield from (("del", old) for old, _ in pairs if old is not None)
        yield from (("add", new) for _, new in pairs if new is not None)

    def diff_words(self, old, new):
        """The parts of both lines; None for a missing line."""
        if old is None or new is None:
            return tuple(None if line is None else whole(line) for line in (old, new))
        before, after = WORDS.findall(old), WORDS.findall(new)
        head = common_length(before, after)
        tail = common_length(reversed(before[head:]), reversed(after[head:]))
        middles = [words[head : len(words) - tail] for words in (before, after)]
        shorter, longer = sorted(map(len, middles))
        steps = shorter * shorter * longer
        if steps > self.steps:
            return whole(old), whole(new)
        matcher = SequenceMatcher(None, *middles, autojunk=False)
        common = 2 * (head + tail) + matcher.quick_ratio() * (shorter + longer)
        if common < ALIKE * (len(before) + len(after)):
            return whole(old), whole(new)
        self.steps -= steps
        codes = matcher.get_opcodes()
        first, last = ("equal", before[:head]), ("equal", before[len(before) - tail :])
        removed = [(kind, middles[0][start:stop]) for kind, start, stop, _, _ in codes]
        added = [(kind, middles[1][start:stop]) for kind, _, _, start, stop in codes]
        return parts_of([first, *removed, last]), parts_of([first, *added, last])


def common_length(one, other):
    """How many items two sequences have in common at the start."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def parts_of(pieces):
    return [(kind != "equal", "".join(words)) for kind, words in pieces if words]


def place(text):
    return "place", whole(text)


def whole(line):
    return [(False, line or " ")]
