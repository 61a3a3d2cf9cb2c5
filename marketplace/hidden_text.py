"""Characters that a program reads and a person does not see.

Some are refused wherever agents or the public read a text. Others are hidden only where the text
does not need them: Persian needs joiners, emoji need selectors, and Hebrew needs marks of
direction. Everything here takes time linear in the text.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from marketplace.unicode_tables import BASES, IDEOGRAPHS, IGNORABLE, JOINING, PICTOGRAPHS

MAX_QUOTED = 200  # characters of a hidden message that a description quotes
MAX_NAMED = 5  # kinds of characters that a description names

TAGS = "\U000e0000-\U000e007f"
SELECTORS = "\U000e0100-\U000e01ef"
CONTROLS = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # all but tabs and line ends
NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)
PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
ANNOTATIONS = "\ufff9-\ufffb"  # between a text and a note on it, which few programs show
BLANK_BRAILLE = "\u2800"
HIDDEN = f"{IGNORABLE}{PRIVATE}{ANNOTATIONS}"
SUSPECT = re.compile(f"[{CONTROLS}{NONCHARACTERS}{HIDDEN}{BLANK_BRAILLE}]")
ASCII = bytes(range(0x80))
ASCII_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})

# Fonts have three flags with tags: England (gbeng), Scotland (gbsct) and Wales (gbwls).
FLAG = (
    "(?<=\U0001f3f4)\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067"
    "|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
# A letter may have a mark that other scripts have as well, such as a Syriac one with a diaeresis.
JOINER = f"(?<=[{JOINING}]).|(?<=[{JOINING}][\u0300-\u036f]).|.(?=[{JOINING}])"
# A pictograph may have a selector or a skin tone.
IN_EMOJI = "|".join(
    f"(?<=[{PICTOGRAPHS}]{after}).(?=[{PICTOGRAPHS}])"
    for after in ("", "\ufe0f", "[\U0001f3fb-\U0001f3ff]")
)
MONGOLIAN = "[\u1820-\u1878\u1880-\u18aa]"
HONEST = {
    "\u200c": JOINER,
    "\u200d": f"{JOINER}|{IN_EMOJI}",
    "\u00ad": r"(?<=[^\W\d_]).(?=[^\W\d_])",
    "\u180e": f"(?<={MONGOLIAN}).(?={MONGOLIAN})",
    **{selector: f"(?<=[{bases}])." for selector, bases in BASES.items()},
    # The Ideographic Variation Database lists at most 32 variants of an ideograph.
    **{chr(code): f"(?<=[{IDEOGRAPHS}])." for code in range(0xE0100, 0xE0120)},
}
HONEST = {letter: re.compile(pattern) for letter, pattern in HONEST.items()}

# These depend on the whole line.
LINE_ENDS = "\n\r\u2028\u2029"
LINE_END = re.compile(f"[{LINE_ENDS}]")
MARKS = {*"\u200e\u200f\u061c"}
CLOSERS = {"\u202a": "\u202c", "\u202b": "\u202c", **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
PAIRED = {*CLOSERS, *CLOSERS.values()}
DIRECTIONS = re.compile(f"[{''.join(sorted(PAIRED))}]")
RIGHT_TO_LEFT = re.compile(
    "(?=[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff])"
    r"[^\W\d_]"
)
BRAILLE = re.compile("[\u2801-\u28ff]")

IN_HIDDEN = f"{TAGS}{SELECTORS}\u202d\u202e"  # which are refused
NEVER_HONEST = re.compile(
    f"(?P<flag>{FLAG})|(?P<tag>[{TAGS}]+)|(?P<selector>(?<![{IDEOGRAPHS}])[{SELECTORS}]+)"
    f"|(?P<override>[\u202d\u202e]+)|(?P<control>[{CONTROLS}]+)|(?P<noncharacter>[{NONCHARACTERS}]+)"
    f"|(?P<ignorable>(?:(?![{''.join([*HONEST, *MARKS, *PAIRED])}{IN_HIDDEN}])[{HIDDEN}])+)"
)


class Hidden(NamedTuple):
    """Hidden characters in a row, of one `kind`: all but "ignorable" are refused."""

    start: int
    end: int
    line: int
    kind: str


def has_refused(text):
    return any(run.kind != "ignorable" for run in hidden_runs(text))


def has_hidden(text):
    return next(hidden_runs(text), None) is not None


def refused_characters(text):
    """Characters that no text may hold: `[(line, name)]`, one for each line and kind."""
    return described(text, (run for run in hidden_runs(text) if run.kind != "ignorable"))


def hidden_characters(text):
    """The same of all hidden characters."""
    return described(text, hidden_runs(text))


def sentences(value):
    """The first reasons why a form refuses a text, or a list of texts."""
    texts = value if isinstance(value, list | tuple) else [value]
    texts = (text for text in texts if isinstance(text, str))
    return as_sentences(place for text in texts for place in refused_characters(text))


def as_sentences(places):
    return [f"Line {line} has {what}." for line, what in islice(places, MAX_NAMED)]


def described(text, runs):
    """`[(line, what)]`, one for each line and kind of hidden characters."""
    groups = {}
    for run in runs:
        groups.setdefault((run.line, run.kind), []).append(text[run.start : run.end])
    return [(line, describe(kind, "".join(parts))) for (line, kind), parts in groups.items()]


def describe(kind, letters):
    if kind == "tag":
        return "hidden tag characters" + saying(decoded_tags(letters))
    if kind == "selector":
        return "hidden variation selectors" + saying(decoded_selectors(letters))
    if len(letters) == 1:  # as in most of a hostile text, on each of its lines
        return name_of(letters)
    counts = Counter(letters).most_common()
    names = [
        name_of(letter) + (f" ({count:,} times)" if count > 1 else "")
        for letter, count in counts[:MAX_NAMED]
    ]
    more = len(counts) - MAX_NAMED
    return ", ".join(names) + (f" and {more:,} other kinds" if more > 0 else "")


def saying(message):
    if not message:
        return ""
    is_long = len(message) > MAX_QUOTED
    return f' that say "{message[:MAX_QUOTED]}{"…" if is_long else ""}"'


def decoded_tags(letters):
    """The ASCII text that tags mirror."""
    codes = (ord(letter) - 0xE0000 for letter in letters)
    return "".join(chr(code) for code in codes if 0x20 <= code < 0x7F)


def decoded_selectors(letters):
    """The text whose bytes are counted by the selectors from U+E0100, as is often done."""
    text = bytes(ord(letter) - 0xE0100 + 16 for letter in letters).decode(errors="replace")
    return text if text.isprintable() and "\ufffd" not in text else ""


@lru_cache(1000)
def name_of(letter):
    """Such as "U+200B ZERO WIDTH SPACE"."""
    kinds = {"Cc": "control character", "Co": "private use"}
    name = unicodedata.name(letter, kinds.get(unicodedata.category(letter), "no character"))
    return f"U+{ord(letter):04X} {name}"


def hidden_runs(text):
    """Each Hidden of the text, from its start to its end."""
    suspect = suspects_of(text)
    if suspect is None:
        return
    place, done = Place(text), int(text.startswith("\ufeff"))
    for match in suspect.finditer(text, done):
        start = match.start()
        if start < done:
            continue
        run = NEVER_HONEST.match(text, start)
        done = run.end() if run else start + 1
        kind = run.lastgroup if run else "ignorable"
        if kind != "flag" and (run or not is_honest(text, start, place)):
            yield Hidden(start, done, place.line_of(start), kind)


def suspects_of(text):
    """A pattern for what to look at in the text; None if there is nothing, as in most texts."""
    data = text.encode(errors="surrogatepass")
    if len(data.translate(None, ASCII_CONTROLS)) < len(data):
        return SUSPECT
    letters = {*SUSPECT.findall(beyond_ascii(text))}
    if len(letters) == 1:  # such as the selector of emoji: much faster to find than a set
        return re.compile(re.escape(*letters))
    return SUSPECT if letters else None


def beyond_ascii(text):
    """The text without ASCII, which leaves little to search in most texts."""
    if text.isascii():
        return ""
    data = text.encode(errors="surrogatepass")
    return data.translate(None, ASCII).decode(errors="surrogatepass")


def is_honest(text, position, place):
    letter = text[position]
    if letter in HONEST:
        return HONEST[letter].match(text, position) is not None
    if letter in MARKS or letter in PAIRED:
        place.go_to(position)
        return place.has(RIGHT_TO_LEFT) and position not in place.unclosed()
    if letter == BLANK_BRAILLE:
        place.go_to(position)
        return place.has(BRAILLE)
    return False


class Place:
    """A line of a text. It moves to later lines only, so that reading a text takes linear time."""

    def __init__(self, text):
        self.text = text
        self.start, self.end = 0, -1
        self.facts = {}
        self.counted, self.number = 0, 1

    def line_of(self, position):
        """The number of a position's line; CR LF, LF and CR end a line."""
        part = self.counted, position
        breaks = self.text.count("\n", *part) + self.text.count("\r", *part)
        self.number += breaks - self.text.count("\r\n", *part)
        self.counted = position
        return self.number

    def go_to(self, position):
        if position < self.end:
            return
        before = self.end + 1, position
        found = max(self.text.rfind(end, *before) for end in LINE_ENDS)
        self.start = (self.end if found < 0 else found) + 1
        match = LINE_END.search(self.text, position)
        self.end = match.start() if match else len(self.text)
        self.facts = {}

    def has(self, pattern):
        if pattern not in self.facts:
            self.facts[pattern] = pattern.search(self.text, self.start, self.end) is not None
        return self.facts[pattern]

    def unclosed(self):
        """Where the line opens what it does not close, or closes what it did not open."""
        if "unclosed" not in self.facts:
            opened, closed = [], set()
            for match in DIRECTIONS.finditer(self.text, self.start, self.end):
                letter, position = match[0], match.start()
                if letter in CLOSERS:
                    opened.append((CLOSERS[letter], position))
                elif opened and opened[-1][0] == letter:
                    opened.pop()
                else:
                    closed.add(position)
            self.facts["unclosed"] = closed | {position for _, position in opened}
        return self.facts["unclosed"]


def visible(text):
    """The text with the code point of each hidden character in its place, such as [U+200B]."""
    return "".join(
        "".join(f"[U+{ord(letter):04X}]" for letter in part) if is_hidden else part
        for is_hidden, part in parts_of(text)
    )


def parts_of(text):
    """The text in pieces: `(is_hidden, part)`."""
    end = 0
    for run in hidden_runs(text):
        yield False, text[end : run.start]
        yield True, text[run.start : run.end]
        end = run.end
    yield False, text[end:]
