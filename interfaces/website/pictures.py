"""The picture that other sites show beside a link to an entry (Open Graph)."""

import unicodedata
from bisect import bisect
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from interfaces.website.emblems import emblem_of

SIZE = WIDTH, HEIGHT = 1200, 630
MARGIN, EMBLEM = 80, 150
PAPER, INK, QUIET = "#faf9f6", "#1b1a22", "#5d5a66"
ELLIPSIS = "..."
MAX_CHARACTERS = 300  # more than fit
# The font has only ASCII. These replace characters that Unicode does not decompose into ASCII:
# quotes, dashes, bullets, and letters of Western languages.
NEAREST = str.maketrans(
    "\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014\u2022\u00b7\u00d7\u00f8\u00d8\u0142\u0141\u0111\u0131",
    "''\"\"------xoOlLdi",
    "\u2705\u2713\ufe0f",
) | {0x2192: "->", 0xDF: "ss", 0xE6: "ae", 0xC6: "AE", 0x153: "oe", 0x2265: ">=", 0x2264: "<="}


class Face(NamedTuple):
    """The parts of an entry that the picture shows."""

    kind: str
    slug: str
    title: str
    description: str
    category: str
    author: str


# An install changes the row of an entry, but nothing in the picture.
@lru_cache(maxsize=64)
def draw(face):
    """A PNG of 1200 x 630."""
    picture = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(picture)
    emblem = emblem_of(face.slug, face.category)
    picture.paste(emblem.draw(EMBLEM), (MARGIN, MARGIN))
    pen.rectangle((0, HEIGHT - 12, WIDTH, HEIGHT), fill=emblem.colour)
    beside = " · ".join(
        drawable(text) for text in (face.kind, face.category, face.author) if drawable(text)
    )
    x = MARGIN + EMBLEM + 40
    pen.text((x, MARGIN + 22), "Agent Marketplace", INK, font(34), stroke_width=0.6)
    pen.text((x, MARGIN + 82), cut(beside, font(30), WIDTH - MARGIN - x), QUIET, font(30))
    y = MARGIN + EMBLEM + 50
    for size, text, lines, colour, stroke in (
        (64, drawable(face.title) or face.slug, 2, INK, 1.6),
        (32, drawable(face.description), 3, QUIET, 0),
    ):
        for line in lines_of(text, font(size), lines):
            pen.text((MARGIN, y), line, colour, font(size), stroke_width=stroke)
            y += round(size * 1.3)
        y += 12
    output = BytesIO()
    # A palette halves the file.
    picture.quantize(64).save(output, "PNG", optimize=True)
    return output.getvalue()


@lru_cache(maxsize=8)
def font(size):
    return ImageFont.load_default(size)


def drawable(text):
    """The start of the text on one line, in the letters that the font has, or nothing."""
    letters = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS].translate(NEAREST))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(plain.split()) if plain.isascii() else ""


def lines_of(text, font, lines):
    """The text as lines that fit between the margins, up to a maximum number of lines."""
    words, width = text.split(), WIDTH - 2 * MARGIN
    while words and lines:
        lines -= 1
        line = words.pop(0)
        while words and font.getlength(f"{line} {words[0]}") <= width:
            line += f" {words.pop(0)}"
        yield cut(line + ELLIPSIS * bool(words and not lines), font, width)


def cut(line, font, width):
    if font.getlength(line) <= width:
        return line
    line = line.removesuffix(ELLIPSIS)
    fitting = bisect(range(len(line)), width, key=lambda end: font.getlength(line[:end] + ELLIPSIS))
    return line[: fitting - 1].rstrip() + ELLIPSIS
