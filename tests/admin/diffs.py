"""Reading the comparisons of the admin's pages."""

import re


def without_marks(response):
    """The text of a page, without the marks around the words that changed."""
    return re.sub("</?mark>", "", response.content.decode())


def lines_of(change):
    """[(kind, line)] of a change."""
    return [(kind, "".join(text for _, text in parts)) for kind, parts in change["diff"]]
