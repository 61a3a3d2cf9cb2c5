"""The hidden parts of a Markdown text, and the gaps after which nobody reads on.

The text is parsed only if a search finds a candidate, because code may hold it. A text that takes
long to parse counts as text without code.
"""

import html
import re
import string
from typing import NamedTuple

from markdown_it import MarkdownIt

from catalogue.fences import body_start
from catalogue.findings import quoted
from catalogue.frontmatter import plain_newlines
from catalogue.markdown import MARKS, MAX_CELLS, MAX_MARKS, MAX_QUOTED, cells_of, quoted_of
from marketplace.hidden_text import Place
from marketplace.unicode_tables import IGNORABLE

MAX_BLANK_LINES = 40
MAX_LINE = 2_000  # characters
MAX_PARSED = 200_000  # characters
MAX_EXCERPT = 80  # characters of what is hidden
# White space but for \n, and what shows as nothing.
BLANK = (
    rf"[ \t\r\f\v\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028-\u202f\u205f\u3000\u2800{IGNORABLE}]"
)
BLANK_LINES = re.compile(rf"\n(?:{BLANK}*+\n)*+")
# Lines without a letter or a digit. Dots or rules between blank lines change little.
GAP = re.compile(rf"\n(?:(?:[^\w\n]|[_{IGNORABLE}])*+\n){{{MAX_BLANK_LINES + 1},}}+")
NEWLINES = b"\n" * (MAX_BLANK_LINES + 2)
LETTERS = {*string.ascii_letters.encode(), *string.digits.encode()}
NO_LETTERS = bytes({*range(0x100)} - {*b"\n", *LETTERS})
# Comments, and what else no browser shows: declarations and processing instructions.
COMMENT = re.compile(r"<!--(?P<comment>.*?)(?:-->|\Z)|<[!?](?P<other>[A-Za-z\[][^>]*)", re.DOTALL)
TAG = re.compile(r"""<[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*""")
# An element on one line without code, escapes or other elements in it.
SHORT_ELEMENT = re.compile(
    r"""<([A-Za-z][A-Za-z0-9]*+)(?:[^<>"']|"[^"]*"|'[^']*')*+>[^<`\\\n]*+</\1>""", re.IGNORECASE
)
STYLE = re.compile(r"""\bstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
HIDDEN_ATTRIBUTE = re.compile(r"[\s/]hidden(?=[\s=/]|\Z)", re.IGNORECASE)
CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|\s", re.DOTALL)
# Elements that browsers do not show, or not before a click; and letters in white.
NEVER_SHOWN = re.compile(
    r"<(?:template|dialog|noscript|datalist)(?=[\s/>]|\Z)"
    r"|<font\b.*\bcolor\s*=\s*[\"']?(?:white|#?fff(?:fff)?\b)",
    re.IGNORECASE | re.DOTALL,
)
# A style, without spaces and in lower case. CSS can escape any letter with a backslash.
ZERO = r"(?:0+(?:\.0*)?|\.0+)(?![.\d])"
HIDING = re.compile(
    r"\\|display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|clip(?:-path)?:"
    rf"|(?:opacity|font|font-size|line-height|zoom|scale|(?<!-)(?:max-)?(?:height|width)):{ZERO}"
    rf"|transform:(?:scale\({ZERO}|translate[xy3d]*\([^)]*-\d{{3}})|filter:opacity\({ZERO}"
    r"|opacity:(?:0?\.0\d|\d%)|font-size:(?:(?:0?\.\d+|[0-4](?:\.\d+)?)p[xt]"
    r"|0?\.[0-4]\d*r?em|[0-4]?\d%)|(?<!-)(?:max-)?(?:height|width):1px"
    r"|text-indent:(?:-\d{2}|\d{3})|(?:left|top|right|bottom|margin[a-z-]*):-(?:\d{3}|\d+[ervw])"
    r"|(?:(?<![-\w])|text-fill-)color:(?:transparent|white|snow|ivory|#f{3,4}(?![0-9a-f])"
    r"|#(?:f[0-9a-f]){3,4}(?![0-9a-f])|#[0-9a-f]{3}0(?![0-9a-f])|#[0-9a-f]{6}0"
    rf"|rgba?\((?:2[45]\d,?){{3}}|hsla?\([^)]*(?:100|9[5-9])%|rgba\(\d+,\d+,\d+,{ZERO})"
)
# The commands that a client runs while it loads a skill, as in "Changes: !`git diff`".
COMMAND = re.compile(
    r"(?<!\S)!`([^`]+)`|^[ \t]*(?:```|~~~)!(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
# Fenced code at the start of a line, and what may begin another block with HTML or code in it.
PLAIN_FENCE = re.compile(
    r"^(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,}).*)\n"
    r"(?:.*\n)*?(?: {0,3}(?(ticks)(?P=ticks)`*|(?P=tildes)~*)[ \t]*(?:\n|\Z)|.*\Z)",
    re.MULTILINE,
)
OTHER_BLOCK = re.compile(r"^[ \t>*+\d.)-]*(?:<|```|~~~)", re.MULTILINE)


class Passage(NamedTuple):
    """The line and the text of a finding."""

    line: int
    text: str


def long_gaps(text):
    """More than 40 lines in a row without letters, and lines of more than 2,000 characters."""
    text = f"\n{plain_newlines(text)}\n"
    number = position = 0
    for match in GAP.finditer(text) if may_have_gap(text) else ():
        number += text.count("\n", position, match.start() + 1)
        position = match.start() + 1
        kind = "blank lines" if BLANK_LINES.fullmatch(match[0]) else "lines without letters"
        yield Passage(number, f"{match[0].count(chr(10)) - 1:,} {kind} in a row")
    lines = text.split("\n") if len(text) > MAX_LINE else ()
    if max(map(len, lines), default=0) > MAX_LINE:
        for number, line in enumerate(lines):
            if len(line) > MAX_LINE:
                yield Passage(number, f"a line of {len(line):,} characters")


def may_have_gap(text):
    """Whether many lines in a row have no letter of ASCII, which is faster to find than GAP."""
    return NEWLINES in text.encode(errors="surrogatepass").translate(None, NO_LETTERS)


def commands(text):
    """The commands that run before anybody reads the text: `(position, what)`."""
    if "!`" in text or "`!" in text or "~!" in text:
        for match in COMMAND.finditer(text):
            command = quoted((match[1] or match[2] or "").strip())
            yield match.start(), f"runs when it is loaded: {command}"


def hidden_markup(text):
    """The HTML comments and the elements hidden by style, outside of code."""
    if hides_markup(text) and hides_markup(without_fences(text)):
        for line, markup, rest in html_parts(text):
            place = Place(markup)
            for position, what in sorted(hidden_in(markup, rest)):
                yield Passage(line + place.line_of(position) - 1, what)


def hides_markup(markup):
    return "<" in markup and any(True for _ in hidden_in(markup))


def hidden_in(markup, rest=""):
    """The positions of hidden markup and what it says. The `rest` of its block follows it."""
    for match in COMMENT.finditer(markup):
        content = match["comment"] if match["other"] is None else match["other"]
        yield match.start(), f"HTML comment: {excerpt(content)}"
    for match in TAG.finditer(markup):
        is_hidden = (
            NEVER_SHOWN.match(match[0])
            or HIDDEN_ATTRIBUTE.search(QUOTED.sub("", match[0]))
            or any(HIDING.search(plain_style(style[1])) for style in STYLE.finditer(match[0]))
        )
        if is_hidden:
            yield match.start(), f"hidden element: {element_excerpt(match, rest)}"


def element_excerpt(tag, rest):
    """A short element with its text; of others the start, because no tag says all that it hides."""
    text = tag.string[tag.start() : tag.start() + MAX_LINE] + rest[:MAX_LINE]
    whole = SHORT_ELEMENT.match(text)
    return excerpt(whole[0] if whole else text, is_whole=whole is not None)


def excerpt(text, *, is_whole=True):
    text = " ".join(text.split())
    is_cut = len(text) > MAX_EXCERPT or not is_whole
    return f'"{text[:MAX_EXCERPT]}{"…" if is_cut else ""}"'


def plain_style(value):
    return CSS_COMMENT.sub("", html.unescape(value)).lower()


def without_fences(text):
    """The text below the frontmatter without its fenced code, which saves most texts a parse.

    All of it, if any other block might change what is a fence.
    """
    _, body = body_of(text)
    rest = PLAIN_FENCE.sub("\n", body)
    return body if OTHER_BLOCK.search(rest) else rest


def html_parts(text):
    """The HTML of the text outside of code, as (line, HTML, the rest of its paragraph)."""
    first, body = body_of(text)
    tokens = blocks_of(body)
    if tokens is None:
        yield first, body, ""
        return
    for token, children in with_children(tokens, hides_markup):
        line = first + token.map[0]
        if children is None:
            yield line, token.content, ""
        else:
            yield from inline_parts(line, token.content, children)


def inline_parts(line, content, children):
    position = 0
    for child in children:
        if child.type == "html_inline":
            position = content.find(child.content, position)
            end = position + len(child.content)
            rest = content[end : end + MAX_LINE]
            yield line + content.count("\n", 0, position), child.content, rest


def body_of(text):
    """The number of the first line below the frontmatter, and the text from there."""
    text = plain_newlines(text).removeprefix("\ufeff")
    start = body_start(text)
    return 1 + text.count("\n", 0, start), text[start:]


def parser():
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    markdown.core.ruler.disable("inline")
    return markdown


PARSER = parser()


def takes_long(body):
    return len(body) > MAX_PARSED or quoted_of(body) > MAX_QUOTED or cells_of(body) > MAX_CELLS


def blocks_of(body):
    """The blocks of the text; None if parsing them takes long, or leaves any out."""
    if takes_long(body):
        return None
    env = {}
    tokens = PARSER.parse(body, env)
    if any(token.level >= PARSER.options["maxNesting"] - 1 for token in tokens):
        return None
    return [(token, env) for token in tokens]


def with_children(tokens, is_candidate):
    """The HTML blocks, and the paragraphs that are candidates: (token, its parts or None)."""
    marks = 0
    for token, env in tokens:
        if token.type == "html_block":
            yield token, None
        elif token.type == "inline" and is_candidate(token.content):
            marks += len(MARKS.findall(token.content))
            children = None
            if marks <= MAX_MARKS:
                children = []
                PARSER.inline.parse(token.content, PARSER, env, children)
            yield token, children
