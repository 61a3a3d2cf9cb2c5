"""Markdown as safe HTML, for staff to see what they write."""

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt

from catalogue.importing.frontmatter import FENCED

# No raw HTML; tables and struck text as agents' own tools render them. No references: a text of
# 20 KB that repeats a long one would become 80 MB.
MARKDOWN = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .disable("reference")
)
TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote"),
    *("strong", "em", "s", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
}


# Characters: of some texts, such as a million brackets, rendering takes the square of their length.
MAX_PREVIEW = 20_000
CUT_OFF = "<p><em>The preview ends here; the text goes on.</em></p>"


# A hostile text takes a second, and each query string asks for its page anew.
@lru_cache(maxsize=64)
def render(text):
    """The text below its frontmatter as HTML. Nothing in it runs, or loads from anywhere."""
    fenced = FENCED.match(text)
    body = text[fenced.end() :] if fenced else text
    is_cut = len(body) > MAX_PREVIEW
    return nh3.clean(
        MARKDOWN.render(body[:MAX_PREVIEW]) + CUT_OFF * is_cut,
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
