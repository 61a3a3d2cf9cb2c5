"""Template filters for texts that others have written; each template has them."""

from django import template

from marketplace import hidden_text
from marketplace.diffs import line_counts, removal

register = template.Library()


@register.filter
def visible(text):
    """The text with the code point of each hidden character in its place."""
    return hidden_text.visible(str(text))


register.filter("removal", removal)
register.filter("all_line_counts", line_counts)


@register.filter("line_counts")
def line_counts_of(change):
    return line_counts([change])


@register.filter
def has_hidden(text):
    return hidden_text.has_hidden(str(text))
