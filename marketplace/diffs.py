"""The differences between two values by line and by word, for templates/_changes.html."""

import re
from bisect import bisect_left
from datetime import datetime
from difflib import SequenceMatcher
from itertools import chain, count, takewhile, zip_longest

from django.template.defaultfilters import pluralize

from marketplace.hidden_text import has_hidden, visible

LINES = 1_000  # that a page shows of its changes
# The other limits of a page, for each line that it may show.
EXAMINED = 5  # lines of its texts, which are compared
CHARACTERS = 100  # on average
# The steps that difflib may take, at about 0.1 µs each. It takes quadratic time where lines repeat
# between lines that differ, such as empty ones, and cubic time at worst.
LINE_STEPS, WORD_STEPS = 3_000, 500
MAX_LINE = 2_000  # characters that are shown of a line
CONTEXT = 2  # unchanged lines around a change
BESIDE = 100  # equal characters of long lines before the first difference
# Other ends of lines, which an editor or a shell may take for one.
LINE_ENDS = {code: f"[U+{code:04X}]" for code in (0x0D, 0x2028, 0x2029)}
WORDS = re.compile(r"\w+|\s+|.")
ALIKE = 0.5  # the share of common words that makes a line count as edited


def change_of(name, old, new, comparison=None, first=1):
    """The change of a value, as {"name", "diff", "added", "removed", "has_hidden"}.

    `diff` has a (kind, parts, number) for each line. The kind is add, del, same or place; parts are
    (is_changed, text). The number is that of the line in the old text if the line is gone, else in
    the new one; a value of one line has none. The first line has the number `first`: 0 if it is
    about the text and does not count. `added` and `removed` count lines.

    A page with many changes shares one Comparison, which limits their cost.
    Changes of files have "what", too: added, changed or removed; removed ones have "is_script".
    """
    old, new = text_of(old), text_of(new)
    return {
        "name": visible(name),
        **(comparison or Comparison()).compare(old, new, first),
        "has_hidden": has_hidden(old) or has_hidden(new),
    }


def line_counts(changes):
    """How many lines were added and removed, such as "2 lines added, 1 removed"; or ""."""
    added, removed = (sum(change[name] for change in changes) for name in ("added", "removed"))
    if not added:
        return f"{removed:,} line{pluralize(removed)} removed" if removed else ""
    return f"{added:,} line{pluralize(added)} added" + (f", {removed:,} removed" if removed else "")


def removal(changes):
    """The files that go, in words such as "removes 10 files, 2 of them scripts"; or ""."""
    gone = [change["is_script"] for change in changes or () if change.get("what") == "removed"]
    files, scripts = len(gone), sum(gone)
    if not gone:
        return ""
    if files == scripts:
        return f"removes {files:,} script{pluralize(files)}"
    if scripts:
        of_them = "1 of them a script" if scripts == 1 else f"{scripts:,} of them scripts"
        return f"removes {files:,} files, {of_them}"
    return f"removes {files:,} file{pluralize(files)}"


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


class Matcher(SequenceMatcher):
    """Raises TooManySteps when its searches take more than `steps`."""

    def __init__(self, before, after, steps, **options):
        super().__init__(None, before, after, **options)
        self.steps = steps

    def find_longest_match(self, alo, ahi, blo, bhi):
        # It looks up each item, and goes through the places where the other sequence has it.
        self.steps -= sum(2 + len(self.b2j.get(item, ())) for item in self.a[alo:ahi])
        if self.steps < 0:
            raise TooManySteps
        return super().find_longest_match(alo, ahi, blo, bhi)


class Comparison:
    """Compares texts until it has shown so many `lines`, or has used up another limit.

    By default that takes a tenth of a second, three tenths at worst, and at most 1 MB of HTML.
    Lines beyond the limits are only counted; words beyond theirs are shown without marks.
    """

    def __init__(self, lines=LINES):
        self.lines, self.examined, self.characters = lines, EXAMINED * lines, CHARACTERS * lines
        self.line_steps, self.word_steps = LINE_STEPS * lines, WORD_STEPS * lines

    def compare(self, old, new, first=1):
        """The `diff`, `added` and `removed` of a change; `first` numbers the first line."""
        before, after = lines_of(old), lines_of(new)
        groups = self.groups_of(before, after)
        if groups is None:
            text = f"{len(before):,} lines became {len(after):,}: too many to compare here"
            return {"diff": [place(text)], "added": 0, "removed": 0}
        if max(len(before), len(after)) == 1:
            first = None
        diff = list(self.diff_lines(before, after, groups, first))
        if not groups and old != new:
            diff = [place("only the line ends differ")]
        return {"diff": diff, **counts_of(groups, first)}

    def diff_lines(self, before, after, groups, first):
        hidden = 0
        for number, group in enumerate(groups):
            if number and self.has_room():
                yield place("…")
            for kind, start, stop, new_start, new_stop in group:
                if kind == "equal":
                    yield from numbered(self.same_lines(before[start:stop]), first, new=new_start)
                else:
                    lines = self.changed_lines(before[start:stop], after[new_start:new_stop])
                    yield from numbered(lines, first, start, new_start)
                    hidden += stop - start + new_stop - new_start - len(lines)
        if hidden:
            yield place(f"{hidden:,} more line{'' if hidden == 1 else 's'} changed")

    def groups_of(self, before, after):
        """The changes with their context, as opcodes of difflib; None beyond a limit."""
        if not before or not after:  # all of it is new, or gone
            return [[("replace", 0, len(before), 0, len(after))]] if before or after else []
        self.examined -= max(len(before), len(after))
        if self.examined < 0:
            return None
        head = common_length(before, after)
        tail = common_length(reversed(before[head:]), reversed(after[head:]))
        middles = [lines[head : len(lines) - tail] for lines in (before, after)]
        # Without autojunk, which takes the lines that repeat in a long text for changed ones.
        matcher = Matcher(*middles, self.line_steps, autojunk=False)
        try:
            codes = matcher.get_opcodes()
        except TooManySteps:
            return None
        finally:
            self.line_steps = matcher.steps
        return grouped(codes, before, after, head, tail)

    def has_room(self, *lines):
        """Whether the lines may be shown. After a refusal, no line is."""
        self.lines -= len(lines)
        self.characters -= sum(min(len(line), MAX_LINE) for line in lines)
        return self.lines >= 0 and self.characters >= 0

    def same_lines(self, lines):
        return [("same", whole(excerpt(line))) for line in lines if self.has_room(line)]

    def changed_lines(self, before, after):
        """The lines before and after a change; lines in the same place are compared by word."""
        pairs = []
        for pair in zip_longest(before, after):
            if not self.has_room(*(line for line in pair if line is not None)):
                break
            pairs.append(self.diff_words(*pair))
        removed = [("del", old) for old, _ in pairs if old is not None]
        return removed + [("add", new) for _, new in pairs if new is not None]

    def diff_words(self, old, new):
        """The parts of both lines; None for a missing line."""
        if old is None or new is None:
            return tuple(None if line is None else whole(excerpt(line)) for line in (old, new))
        start = start_of(old, new)
        old, new = excerpt(old, start), excerpt(new, start)
        before, after = WORDS.findall(old), WORDS.findall(new)
        head = common_length(before, after)
        tail = common_length(reversed(before[head:]), reversed(after[head:]))
        middles = [words[head : len(words) - tail] for words in (before, after)]
        matcher = Matcher(*middles, self.word_steps, autojunk=False)
        common = 2 * (head + tail) + matcher.quick_ratio() * sum(map(len, middles))
        if common < ALIKE * (len(before) + len(after)):
            return whole(old), whole(new)
        try:
            codes = matcher.get_opcodes()
        except TooManySteps:
            return whole(old), whole(new)
        finally:
            self.word_steps = matcher.steps
        first, last = ("equal", before[:head]), ("equal", before[len(before) - tail :])
        removed = [(kind, middles[0][start:stop]) for kind, start, stop, _, _ in codes]
        added = [(kind, middles[1][start:stop]) for kind, _, _, start, stop in codes]
        return parts_of([first, *removed, last]), parts_of([first, *added, last])


def lines_of(text):
    """The lines of a text, in which each character that might hide something is visible."""
    text = visible(text.replace("\r\n", "\n").removesuffix("\n"))
    lines = text.translate(LINE_ENDS).split("\n")
    return lines if text else []


def grouped(codes, before, after, head, tail):
    """The changes with their context, of texts with so many equal lines before and after them."""
    first = ("equal", 0, head, 0, head)
    last = ("equal", len(before) - tail, len(before), len(after) - tail, len(after))
    middle = [(kind, *(place + head for place in places)) for kind, *places in codes]
    matcher = SequenceMatcher(None, (), ())
    matcher.opcodes = [*[first] * bool(head), *middle, *[last] * bool(tail)]
    return list(matcher.get_grouped_opcodes(CONTEXT))


def numbered(lines, first, old=0, new=0):
    """Each line with its number, which begins at `old` for lines that are gone, else at `new`."""
    places = {"del": count(old), "add": count(new), "same": count(new)}
    for kind, parts in lines:
        yield kind, parts, None if first is None else first + next(places[kind])


def counts_of(groups, first):
    """How many lines from number 1 on were `added` and `removed`."""
    added = removed = 0
    for kind, *places in chain.from_iterable(groups if first is not None else ()):
        if kind != "equal":
            start, stop, new_start, new_stop = (max(place, 1 - first) for place in places)
            added, removed = added + new_stop - new_start, removed + stop - start
    return {"added": added, "removed": removed}


def start_of(old, new):
    """Where to show two lines from: long ones from just before their first difference."""
    shorter, longer = sorted(map(len, (old, new)))
    if longer <= MAX_LINE:
        return 0
    same = bisect_left(range(shorter), True, key=lambda end: old[: end + 1] != new[: end + 1])  # noqa: FBT003
    return max(same - BESIDE, 0)


def excerpt(line, start=0):
    """At most MAX_LINE characters of the line, and how many more it has."""
    if len(line) <= MAX_LINE:
        return line
    end = start + MAX_LINE
    before = f"[{start:,} characters …] " if start else ""
    after = f" [… {len(line) - end:,} more characters]" if len(line) > end else ""
    return before + line[start:end] + after


def common_length(one, other):
    """How many items two sequences have in common at the start."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def parts_of(pieces):
    return [(kind != "equal", "".join(words)) for kind, words in pieces if words]


def place(text):
    return "place", whole(text), None


def whole(line):
    return [(False, line or " ")]
