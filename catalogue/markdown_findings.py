"""The hidden parts and the dead links of a Markdown text.

The text is parsed only if a search finds a candidate, because code may hold it. A text that takes
long to parse counts as text without code.
"""

import html
import posixpath
import re
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt

from catalogue.fences import body_start
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
GAP = re.compile(rf"\n(?:{BLANK}*+\n){{{MAX_BLANK_LINES + 1},}}+")

# Comments, and what else no browser shows: declarations and processing instructions.
COMMENT = re.compile(r"<!--(?P<comment>.*?)(?:-->|\Z)|<[!?](?P<other>[A-Za-z\[][^>]*)", re.DOTALL)
TAG = re.compile(r"""<[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*""")
STYLE = re.compile(r"""\bstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>"']+)""", re.IGNORECASE)
QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
HIDDEN_ATTRIBUTE = re.compile(r"[\s/]hidden(?=[\s=/]|\Z)", re.IGNORECASE)
CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|\s", re.DOTALL)
# A style, without spaces and in lower case. CSS can escape any letter with a backslash.
ZERO = r"(?:0+(?:\.0*)?|\.0+)(?![.\d])"
HIDING = re.compile(
    r"\\|display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|clip(?:-path)?:"
    rf"|(?:opacity|font|font-size|line-height|zoom|scale|(?<!-)(?:max-)?(?:height|width)):{ZERO}"
    rf"|transform:scale\({ZERO}|font-size:(?:0?\.\d+|1)p[xt]"
    r"|text-indent:-\d{2}|(?:left|top|right|bottom|margin[a-z-]*):-\d{3}"
    r"|(?<![-\w])color:(?:transparent|white|#fff(?:f{3,5})?(?![0-9a-f])"
    rf"|rgba\(\d+,\d+,\d+,{ZERO})"
)
# Fenced code at the start of a line, and what may begin another block with HTML or code in it.
PLAIN_FENCE = re.compile(
    r"^(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,}).*)\n"
    r"(?:.*\n)*?(?: {0,3}(?(ticks)(?P=ticks)`*|(?P=tildes)~*)[ \t]*(?:\n|\Z)|.*\Z)",
    re.MULTILINE,
)
OTHER_BLOCK = re.compile(r"^[ \t>*+\d.)-]*(?:<|```|~~~)", re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]*)")
# [label]: link, which may be in a list or a quote
DEFINITION = re.compile(r"^[ \t>*+\d.-]*\[[^\[\]]{1,999}\]:\s*<?([^\s>]+)", re.MULTILINE)
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/|#|\?|\Z")
PLACEHOLDER = re.compile(r"[{}<>$*|\[\]]|%(?![0-9A-Fa-f]{2})|\.\.\.|…")


class Passage(NamedTuple):
    """The line and the text of a finding."""

    line: int
    text: str


def long_gaps(text):
    """More than 40 blank lines in a row, and lines of more than 2,000 characters."""
    text = f"\n{plain_newlines(text)}\n"
    number = position = 0
    for match in GAP.finditer(text):
        number += text.count("\n", position, match.start() + 1)
        position = match.start() + 1
        yield Passage(number, f"{match[0].count(chr(10)) - 1:,} blank lines in a row")
    lines = text.split("\n")
    if max(map(len, lines)) > MAX_LINE:
        for number, line in enumerate(lines):
            if len(line) > MAX_LINE:
                yield Passage(number, f"a line of {len(line):,} characters")


def hidden_markup(text):
    """The HTML comments and the elements hidden by style, outside of code."""
    if hides_markup(text) and hides_markup(without_fences(text)):
        for line, markup in html_parts(text):
            place = Place(markup)
            for position, what in sorted(hidden_in(markup)):
                yield Passage(line + place.line_of(position) - 1, what)


def hides_markup(markup):
    return "<" in markup and any(True for _ in hidden_in(markup))


def hidden_in(markup):
    for match in COMMENT.finditer(markup):
        content = match["comment"] if match["other"] is None else match["other"]
        yield match.start(), f"HTML comment: {excerpt(content)}"
    for match in TAG.finditer(markup):
        is_hidden = HIDDEN_ATTRIBUTE.search(QUOTED.sub("", match[0])) or any(
            HIDING.search(plain_style(style[1])) for style in STYLE.finditer(match[0])
        )
        if is_hidden:
            yield match.start(), f"hidden element: {excerpt(match[0])}"


def excerpt(text):
    text = " ".join(text.split())
    return f'"{text[:MAX_EXCERPT]}{"…" if len(text) > MAX_EXCERPT else ""}"'


def plain_style(value):
    return CSS_COMMENT.sub("", html.unescape(value)).lower()


def dead_links(text, paths):
    """The relative links to what is not among the paths of a folder."""
    targets = {*paths}
    for path in paths:
        targets.update(parents_of(path))
    if has_dead(text, targets) and has_dead(without_fences(text), targets):
        for line, link in links_of(text):
            if is_dead(link, targets):
                yield Passage(line, f"{excerpt(unquote(link))} is not among the files")


def has_dead(text, targets):
    return any(is_dead(match[1], targets) for match in candidates(text))


def candidates(text):
    return chain(LINK.finditer(text), DEFINITION.finditer(text) if "]:" in text else ())


def parents_of(path):
    while path:
        path = posixpath.dirname(path)
        yield path or "."


def is_dead(link, targets):
    path = unquote(re.split(r"[?#]", link, maxsplit=1)[0])
    if ABSOLUTE.match(link) or PLACEHOLDER.search(path):
        return False
    return posixpath.normpath(path) not in targets


def without_fences(text):
    """The text below the frontmatter without its fenced code, which saves most texts a parse.

    All of it, if any other block might change what is a fence.
    """
    _, body = body_of(text)
    rest = PLAIN_FENCE.sub("\n", body)
    return body if OTHER_BLOCK.search(rest) else rest


def html_parts(text):
    """The HTML of the text outside of code, as (line, HTML)."""
    first, body = body_of(text)
    tokens = blocks_of(body)
    if tokens is None:
        yield first, body
        return
    for token, children in with_children(tokens, hides_markup):
        line = first + token.map[0]
        if children is None:
            yield line, token.content
        else:
            yield from inline_parts(line, token.content, children)


def inline_parts(line, content, children):
    position = 0
    for child in children:
        if child.type == "html_inline":
            position = content.find(child.content, position)
            yield line + content.count("\n", 0, position), child.content


def links_of(text):
    """The targets of the links and pictures outside of code, as (line, link)."""
    first, body = body_of(text)
    tokens = blocks_of(body)
    if tokens is None:
        place = Place(body)
        for position, link in sorted((match.start(), match[1]) for match in candidates(body)):
            yield first + place.line_of(position) - 1, link
        return
    for token, children in with_children(tokens, lambda content: "[" in content):
        line = first + token.map[0]
        for child in children or ():
            line += child.type in {"softbreak", "hardbreak"}
            link = child.attrGet("href") or child.attrGet("src")
            if link:
                yield line, link


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


def blocks_of(body):
    """The blocks of the text; None if parsing them takes long, or leaves any out."""
    if len(body) > MAX_PARSED or quoted_of(body) > MAX_QUOTED or cells_of(body) > MAX_CELLS:
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
