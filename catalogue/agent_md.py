"""A persona's file, which is a subagent to clients such as Claude Code."""

import re

from catalogue.frontmatter import EMPTY, Frontmatter, Refused, plain_newlines, read_frontmatter

# Claude Code splits a text at commas and spaces, but not in parentheses: `Read, Bash(git log, ls)`.
TOOL = re.compile(r"(?:\([^)]*\)?|[^\s,(])+")
EVERY_TOOL = "*"


def tools_of(frontmatter):
    """The tools that an agent file asks for, as Claude Code reads them; None for every tool.

    An empty field, or one that is neither a text nor a list, asks for none.
    """
    try:
        fields, _ = read_frontmatter(plain_newlines(frontmatter))
    except Refused:
        return None
    if "tools" not in fields.fields:
        return None
    value = fields.fields["tools"]
    texts = value if isinstance(value, list) else [value]
    texts = (text for text in texts if isinstance(text, str) and text not in EMPTY)
    tools = [tool for text in texts for tool in TOOL.findall(text)]
    return None if EVERY_TOOL in tools else tools


def holds_more_than(names, fields):
    """Whether a Frontmatter has a field that is not in these names, or where none is read."""
    top, metadata = dict(fields.fields), fields.metadata
    if metadata:
        del top["metadata"]
    return not (top.keys() <= names and metadata.keys() <= names - {*Frontmatter.TOP_LEVEL})
