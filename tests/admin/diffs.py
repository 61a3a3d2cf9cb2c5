"""Reading the comparisons of the admin's pages."""

import re


def without_marks(response):
    """The text of a page, without line numbers and the marks around the words that changed."""
    return re.sub('</?mark>| data-line="[0-9]+"', "", response.content.decode())


def lines_of(change):
    """[(kind, line)] of a change."""
    return [(kind, "".join(text for _, text in parts)) for kind, parts, _ in change["diff"]]
