"""Texts that people overlook or cannot read: far to the right, encoded, in look-alike letters.

Each function takes time linear in the text.
"""

import base64
import binascii
import html
import re
from urllib.parse import unquote

from marketplace.hidden_text import beyond_ascii, saying

MAX_SPACES = 100  # between two words of a line
BLANKS = (
    " \t\v\f\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
    "\u200c\u200d\u2060\u202f\u205f\u2800\u3000\u3164\ufeff"
)
BLANK = re.compile(f"[{BLANKS}]")
REST = re.compile(f"[{BLANKS}]*+")
PAIR = re.compile(f".?[{BLANKS}]{{2}}", re.DOTALL)
MAX_MARKS = 4  # of no script of their own, on one letter; Vietnamese and Greek need three at most
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u2de0-\u2dff\ufe20-\ufe2f"
)
STACK = re.compile(f"[{MARKS}]{{{MAX_MARKS + 1},}}+")
# Letters that look like those of ASCII in most fonts (Unicode Technical Standard 39).
CYRILLIC = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u04af\u04cf\u0410"
    "\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u04ae\u050c\u051a\u051c"
)
GREEK = (
    "\u03bf\u03f2\u03f3\u0391\u0392\u0395\u0396\u0397"
    "\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
ARMENIAN = "\u0585\u0578\u057d\u0570\u0581\u0584"
LOOK_ALIKES = {*CYRILLIC, *GREEK, *ARMENIAN}
DOUBTFUL = re.compile(f"[{MARKS}{CYRILLIC}{GREEK}{ARMENIAN}]")
LATIN = {*map(chr, range(0x250))}
WORD = re.compile(r"[^\W\d_]++(?:\.[^\W\d_]++)*+")  # or the name of a host
MAX_SHOWN = 60  # characters of a word

MIN_BASE64, MIN_ENCODED = 40, 8  # letters in a row
# The letters of base64 become one byte, whose runs are found many times as fast as by a pattern.
AS_RUNS = bytes(ord("a") * (chr(code).isalnum() or code in b"+/") for code in range(128))
AS_RUNS += bytes(128)
RUN = b"a" * MIN_BASE64
MIN_WORDS = 3
LETTERS = re.compile(r"[^\W\d_]")
ESCAPE = re.compile(r"\\[xuU]([0-9A-Fa-f]+)")
# The signs that each has, a letter in it, and the text of several.
ENCODED = {
    "HTML entities": ("&#", r"&#(?:[xX][0-9A-Fa-f]{2,6}|[0-9]{2,7});", html.unescape),
    "percent signs": ("%", r"%[2-7][0-9A-Fa-f]", unquote),
    "escapes": (
        "\\",
        r"\\(?:x|u00|U000000)[2-7][0-9A-Fa-f]",
        lambda letters: ESCAPE.sub(lambda code: chr(int(code[1], 16)), letters),
    ),
}
ENCODED = {
    name: (sign, re.compile(rf"{letter}(?:{letter}){{{MIN_ENCODED - 1},}}+"), decoded)
    for name, (sign, letter, decoded) in ENCODED.items()
}


def wide_gaps(text):
    """`(position, what)` of many spaces before a text, unless they fill a cell of a table."""
    step, end = MAX_SPACES + 1, 0
    # Every gap covers one of these positions.
    for sample in BLANK.finditer(text[::step]):
        position = sample.start() * step
        if position < end or not PAIR.match(text, max(0, position - 1)):
            continue
        before = text[max(end, position - step) : position]
        start = position - len(before) + len(before.rstrip(BLANKS))
        end = REST.match(text, position).end()
        beside = text[max(0, start - 1) : start] + text[end : end + 1]
        if end - start > MAX_SPACES and "|" not in beside and text[end : end + 1].strip():
            yield start, f"{end - start:,} spaces before a text"


def disguises(text):
    """`(position, what)` of what is encoded, or looks like another text."""
    yield from encoded_texts(text)
    if DOUBTFUL.search(beyond_ascii(text)):
        for match in STACK.finditer(text):
            yield match.start(), f"{len(match[0]):,} marks on one letter"
        yield from mixed_words(text)


def mixed_words(text):
    """The words of Latin letters and of others that look like them."""
    for match in WORD.finditer(text):
        letters = {*match[0].replace(".", "")}
        others = letters.difference(LATIN)
        if others and len(others) < len(letters) and LOOK_ALIKES.issuperset(others):
            names = ", ".join(f"U+{ord(letter):04X}" for letter in sorted(others))
            yield match.start(), f'"{match[0][:MAX_SHOWN]}" has letters of two scripts: {names}'


def encoded_texts(text):
    data, position, done = text.encode(errors="surrogatepass"), 0, 0
    for start, end in runs_of(data.translate(AS_RUNS), RUN):
        if message := decoded_base64(data[start:end]):
            position, done = position + len(data[done:start].decode(errors="surrogatepass")), start
            yield position, f"base64 letters{saying(message)}"
    for name, (sign, pattern, decoded) in ENCODED.items():
        for match in pattern.finditer(text) if sign in text else ():
            message = decoded(match[0])
            if len(LETTERS.findall(message)) >= MIN_ENCODED:
                yield match.start(), f"{name}{saying(message)}"


def runs_of(data, run):
    """`(start, end)` of all runs between NULs that contain this one."""
    end = 0
    while (found := data.find(run, end)) >= 0:
        start, end = data.rfind(b"\0", end, found) + 1 or found, data.find(b"\0", found)
        end = len(data) if end < 0 else end
        yield start, end


def decoded_base64(letters):
    """A text of at least three words, as UTF-8 or as Windows has it; "" if it is another."""
    try:
        data = base64.b64decode(letters + b"=" * (-len(letters) % 4))
        text = data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    words = text.split()
    # Pages have their pictures in it, as SVG.
    is_text = len(words) >= MIN_WORDS and all(map(str.isprintable, words))
    return " ".join(words) if is_text and not text.lstrip().startswith("<") else ""
