"""Markdown as safe HTML, for the admin and the website."""

import re
from functools import lru_cache, partial

import nh3
from markdown_it import MarkdownIt

from catalogue.frontmatter import FENCED
from catalogue.highlighting import highlight

TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote"),
    *("strong", "em", "s", "code", "pre", "span", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "span": {"class"}}
ATTRIBUTES |= {f"h{level}": {"id"} for level in range(2, 7)}
# What may be wider than its column and scrolls there, the keyboard scrolls too.
FOCUSABLE = {tag: {"tabindex": "0"} for tag in ("pre", "table")}
# Characters: rendering some texts, such as many brackets, takes time quadratic in their length.
MAX_PREVIEW = 20_000
MAX_CONTENTS_LEVEL = 3
MIN_CONTENTS = 3  # headings, from which on a text has contents
CUT_OFF = "<p><em>The preview ends here; the text goes on.</em></p>"

# No raw HTML; tables and strikethrough, which agents' own tools render too. No references: a
# short text that repeats a long one would become a page of many megabytes.
MARKDOWN = (
    MarkdownIt(
        "commonmark", {"html": False, "highlight": lambda code, name, _: highlight(code, name)}
    )
    .enable(["table", "strikethrough"])
    .disable("reference")
)


def render(text, folder=""):
    """The text below its frontmatter, as HTML that runs no script and loads nothing.

    Its headings begin at the second level, because the page has a title of its own. Relative links
    lead into the `folder`, if there is one.
    """
    html, _ = rendered(text, folder)
    return html


def contents(text, folder=""):
    """The upper headings of the text as it is rendered: `[(is_deep, id, title)]`; none of a few."""
    _, found = rendered(text, folder)
    upper = [heading for heading in found if heading[0] <= MAX_CONTENTS_LEVEL]
    if len(upper) < MIN_CONTENTS:
        return []
    highest = min(level for level, _, _ in upper)
    return [(level > highest, name, title) for level, name, title in upper]


# A hostile text renders slowly, and a page with another query string is rendered again.
@lru_cache(maxsize=64)
def rendered(text, folder):
    fenced = FENCED.match(text)
    body = text[fenced.end() :] if fenced else text
    tokens = MARKDOWN.parse(body[:MAX_PREVIEW])
    found = anchored(tokens)
    html = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    return nh3.clean(
        html + CUT_OFF * (len(body) > MAX_PREVIEW),
        tags=TAGS,
        attributes=ATTRIBUTES,
        set_tag_attribute_values=FOCUSABLE,
        url_schemes={"http", "https", "mailto"},
        attribute_filter=partial(with_folder, folder) if folder else None,
        link_rel="noopener noreferrer nofollow",
    ), found


def anchored(tokens):
    """Give each heading its level in the page and an `id`; returns the headings."""
    found, taken = [], set()
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            level = min(int(token.tag[1]) + 1, 6)
            title = plain(tokens[number + 1])
            # With a prefix, so that no text takes an id of the page.
            name = "text-" + "-".join(re.findall(r"\w+", title.lower()))[:60]
            while name in taken:
                name += "-"
            taken.add(name)
            found.append((level, name, title))
            token.tag = tokens[number + 2].tag = f"h{level}"
            token.attrSet("id", name)
    return found


def plain(inline):
    return "".join(part.content for part in inline.children if part.type in {"text", "code_inline"})


def with_folder(folder, _tag, name, value):
    is_relative = name == "href" and not re.match(r"[a-z][a-z0-9+.-]*:|[/#]", value, re.IGNORECASE)
    return f"{folder}/{value}" if is_relative else value
