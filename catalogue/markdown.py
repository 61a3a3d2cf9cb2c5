"""Markdown as safe HTML, for the admin and the website."""

import re
from collections import Counter
from functools import lru_cache, partial
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from catalogue.fences import body_start
from catalogue.frontmatter import plain_newlines
from catalogue.highlighting import highlight
from marketplace.hidden_text import has_hidden, visible

TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote"),
    *("strong", "em", "s", "code", "pre", "span", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "span": {"class"}}
ATTRIBUTES |= {f"h{level}": {"id"} for level in range(2, 7)}
CLEAN = {
    "tags": TAGS,
    "attributes": ATTRIBUTES,
    # Wide elements scroll by themselves. tabindex makes them scroll with the keyboard.
    "set_tag_attribute_values": {tag: {"tabindex": "0"} for tag in ("pre", "table")},
    "url_schemes": {"http", "https", "mailto"},
    "link_rel": "noopener noreferrer nofollow",
}
# A stranger's text is parsed and rendered once, in a tenth or two of a second at worst. Some texts
# take quadratic time, so each limit is several times what the skills that people write need.
MAX_PREVIEW = 20_000  # characters
MAX_LINES = 1_500
# Levels; a list in a list adds two. A text with deeper blocks is shown as it is written.
MAX_NESTING = 12
MAX_MARKS = 4_000  # characters that may begin or end a link, an emphasis and so on
MAX_CELLS = 10_000  # of tables
MAX_QUOTED = 40_000  # lines that the parser reads for quotes
MAX_CODE = 6_000  # characters of code that are highlighted
MAX_HTML = 20_000  # bytes, of the 30,000 of a page
MAX_HEADINGS = 60  # in a table of contents
MAX_CONTENTS_LEVEL = 3
MIN_CONTENTS = 3  # headings that a text needs to get a table of contents
PREFIX = "text-"  # so that no heading takes an id of the page
EMPTY_LINE = re.compile(r"\n[ \t]*\n")
MARKS = re.compile(r"[\[\]!*_~`<&\\]")
PARTIAL = re.compile(r"(<[^>]*|&[^;]*)\Z")  # the tag or the entity in which the HTML was cut
HEADING_ID = re.compile(r'<h[2-6] id="([^"]*)"')
CUT_OFF = "<p><em>The preview ends here; the text goes on.</em></p>"


def markdown(*rules):
    # No raw HTML. No references: a short text that repeats a long one would become many megabytes.
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable(list(rules)).disable("reference")
    parser.core.ruler.at("inline", parse_paragraphs)
    parser.add_render_rule("fence", fence)
    return parser


def parse_paragraphs(state):
    """Parse paragraphs, headings and cells; beyond a limit they are shown as they are written."""
    marks = 0
    for token in state.tokens:
        if token.type == "inline":
            marks += len(MARKS.findall(token.content))
            token.children = []
            if marks <= MAX_MARKS:
                state.md.inline.parse(token.content, state.md, state.env, token.children)
            if marks > MAX_MARKS or any(part.level > MAX_NESTING for part in token.children):
                token.children = [Token("text", "", 0, content=token.content)]


def fence(_renderer, tokens, index, _options, env):
    """A block of code, highlighted up to a limit per text."""
    code, language = tokens[index].content, tokens[index].info.partition(" ")[0]
    env["code"] += len(code)
    html = highlight(code, language) if env["code"] <= MAX_CODE else escape(code)
    return f"<pre><code>{html}</code></pre>\n"


# Tables and strikethrough, which agents' own tools render as well.
MARKDOWN = markdown("table", "strikethrough")
SIMPLE = markdown("strikethrough").disable("blockquote")


HAS_HIDDEN = '<p class="notice" role="note">This text has hidden characters.</p>\n'


def render_markdown(text, folder="", *, is_own=False):
    """The text below its frontmatter, as HTML that runs no scripts and loads nothing.

    Its headings start at the second level, because the page has its own title. Relative links
    point into the `folder`, if there is one. The server's own texts are never cut.
    """
    html, _ = rendered(text, folder, is_own)
    return html


def contents(text, folder="", *, is_own=False):
    """The upper headings of the rendered text: `[(is_deep, id, title)]`; empty if there are few."""
    _, headings = rendered(text, folder, is_own)
    upper = [heading for heading in headings if heading[0] <= MAX_CONTENTS_LEVEL]
    if len(upper) < MIN_CONTENTS:
        return []
    highest = min(level for level, _, _ in upper)
    return [(level > highest, name, title) for level, name, title in upper[:MAX_HEADINGS]]


# Otherwise every query string would render its page again.
@lru_cache(maxsize=64)
def rendered(text, folder, is_own):
    body = plain_newlines(text[body_start(text) :])
    excerpt = body if is_own else start_of(body)
    html, headings = unsafe(excerpt)
    html = nh3.clean(html, attribute_filter=partial(leading, folder), **CLEAN)
    # Markdown writes characters as entities, too.
    start = HAS_HIDDEN if has_hidden(html) else ""
    html = visible(html) if start else html
    headings = [(level, name, visible(title)) for level, name, title in headings]
    # The HTML may be many times as long as its text.
    is_long = not is_own and len(html.encode()) > MAX_HTML
    if is_long:
        html = shortened(html)
        shown = {*HEADING_ID.findall(html)}
        headings = [heading for heading in headings if heading[1] in shown]
    return start + html + CUT_OFF * (is_long or len(body) > len(excerpt)), headings


def start_of(text):
    return "".join(text[:MAX_PREVIEW].splitlines(keepends=True)[:MAX_LINES])


def shortened(html):
    """The start of the clean HTML. nh3 closes the elements that are open where it was cut."""
    start = html.encode()[:MAX_HTML].decode(errors="ignore")
    return nh3.clean(PARTIAL.sub("", start), **CLEAN)


def unsafe(text):
    """The HTML of the Markdown text, and its headings."""
    is_simple = cells_of(text) > MAX_CELLS or quoted_of(text) > MAX_QUOTED
    parser = SIMPLE if is_simple else MARKDOWN
    tokens = parser.parse(text)
    # The parser leaves out what is deeper, and may leave out all that follows.
    if any(token.level >= MAX_NESTING - 1 for token in tokens if token.nesting == 1):
        return f"<pre><code>{escape(text)}</code></pre>", []
    headings = anchored(tokens)
    return parser.renderer.render(tokens, parser.options, {"code": 0}), headings


def quoted_of(text):
    """An upper bound of the lines that are read for quotes: each is sought up to an empty line."""
    paragraphs = EMPTY_LINE.split(text)
    return sum(part.count(">") * (part.count("\n") + 1) for part in paragraphs)


def cells_of(text):
    """An upper bound of the cells in the text's tables: each row gets as many as its header."""
    lines = text.splitlines()
    # The line below a header has one cell for each of its columns. A quote starts with ">".
    return len(lines) * max(
        (line.strip("|> \t").count("|") + 1 for line in lines if not line.strip("|-:> \t")),
        default=0,
    )


def anchored(tokens):
    """Give each heading its level in the page and an `id`; returns the headings."""
    headings, numbers = [], Counter()
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, 6)
            title = plain(tokens[number + 1])
            name = PREFIX + "-".join(re.findall(r"\w+", title.lower()))[:60]
            numbers[name] += 1
            # No other name ends in two hyphens and a number.
            name += f"--{numbers[name]}" if numbers[name] > 1 else ""
            headings.append((level, name, title))
            token.tag = tokens[number + 2].tag = f"h{level}"
            token.attrSet("id", name)
    return headings


def plain(inline):
    return "".join(part.content for part in inline.children if part.type in {"text", "code_inline"})


def leading(folder, _tag, name, value):
    """The value of an attribute; a link points to the id of a heading, or into the folder."""
    if name != "href" or re.match(r"[a-z][a-z0-9+.-]*:|/", value, re.IGNORECASE):
        return value
    if value.startswith("#"):
        return f"#{PREFIX}{value[1:]}"
    return f"{folder}/{value}" if folder else value
