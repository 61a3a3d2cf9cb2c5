"""A persona's file, which is a subagent to clients such as Claude Code."""

import re

from catalogue.frontmatter import EMPTY, Refused, plain_newlines, read_frontmatter, without_case
from catalogue.repairs import repair
from catalogue.skill_md import name_of

# Claude Code splits a text at commas and spaces, but not in parentheses: `Read, Bash(git log, ls)`.
TOOL = re.compile(r"(?:\([^)]*\)?|[^\s,(])+")
EVERY_TOOL = "*"


def repaired(text, entry):
    """The Repaired text of an entry's file, for the name of its slug."""
    return repair(text, name_of(entry), entry.description or entry.title)


def tools_of(frontmatter):
    """The tools that an agent file asks for, as Claude Code reads them; None for every tool.

    An empty field, or one that is neither a text nor a list, asks for none.
    """
    try:
        fields, _ = read_frontmatter(plain_newlines(frontmatter))
    except Refused:
        return None
    top = without_case(fields.fields)
    if "tools" not in top:
        return None
    value = top["tools"]
    texts = value if isinstance(value, list) else [value]
    texts = (text for text in texts if isinstance(text, str) and text not in EMPTY)
    tools = [tool for text in texts for tool in TOOL.findall(text)]
    return None if EVERY_TOOL in tools else tools
