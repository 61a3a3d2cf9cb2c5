"""Markdown as safe HTML, for the admin and the website."""

import re
from functools import lru_cache, partial

import nh3
from markdown_it import MarkdownIt

from catalogue.frontmatter import FENCED

# No raw HTML; tables and strikethrough, which agents' own tools render too. No references: a
# short text that repeats a long one would become a page of many megabytes.
MARKDOWN = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .disable("reference")
)
TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote"),
    *("strong", "em", "s", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
# Characters: rendering some texts, such as many brackets, takes time quadratic in their length.
MAX_PREVIEW = 20_000
CUT_OFF = "<p><em>The preview ends here; the text goes on.</em></p>"


# A hostile text renders slowly, and a page with another query string is rendered again.
@lru_cache(maxsize=64)
def render(text, folder=""):
    """The text below its frontmatter, as HTML that runs no script and loads nothing.

    Relative links lead into the `folder`, if there is one.
    """
    fenced = FENCED.match(text)
    body = text[fenced.end() :] if fenced else text
    is_cut = len(body) > MAX_PREVIEW
    return nh3.clean(
        MARKDOWN.render(body[:MAX_PREVIEW]) + CUT_OFF * is_cut,
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        attribute_filter=partial(with_folder, folder) if folder else None,
        link_rel="noopener noreferrer nofollow",
    )


def with_folder(folder, _tag, name, value):
    is_relative = name == "href" and not re.match(r"[a-z][a-z0-9+.-]*:|[/#]", value, re.IGNORECASE)
    return f"{folder}/{value}" if is_relative else value
