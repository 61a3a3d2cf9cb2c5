"""Code as HTML, highlighted with six classes of the stylesheet."""

import re
from functools import lru_cache
from html import escape
from itertools import groupby

from pygments.lexers import get_lexer_by_name
from pygments.token import Token

# The common languages of these texts. A lexer is a list of regular expressions, and hostile code
# can make it take quadratic time: within the limits below, these need at most a tenth of a second.
LEXERS = {
    **dict.fromkeys(["bash", "sh", "shell", "zsh"], "bash"),
    **dict.fromkeys(["python", "py", "python3"], "python"),
    **dict.fromkeys(["javascript", "js", "mjs", "jsx"], "javascript"),
    **dict.fromkeys(["typescript", "ts", "tsx"], "typescript"),
    **dict.fromkeys(["yaml", "yml"], "yaml"),
    **dict.fromkeys(["rust", "rs"], "rust"),
    **dict.fromkeys(["dockerfile", "docker"], "docker"),
    **{name: name for name in ("json", "toml", "ini", "sql", "html", "xml", "css", "diff", "go")},
}
MAX_HIGHLIGHTED = 4_000  # characters
UNUSUAL = re.compile(r"[^\n]{300}|\s{100}")  # long lines and much white space take longest
MAX_ERRORS = 20  # places where the code is not in its language; each takes all expressions
CLASSES = {
    Token.Keyword: "k",
    Token.Literal.String: "s",
    Token.Comment: "c",
    Token.Literal.Number: "m",
    Token.Name.Function: "f",
    Token.Name.Class: "f",
    Token.Name.Tag: "k",
    Token.Name.Attribute: "f",
    Token.Name.Builtin: "b",
    Token.Generic.Deleted: "k",
    Token.Generic.Inserted: "s",
}


@lru_cache(maxsize=64)
def highlight(code, language):
    """The code as escaped HTML, without highlighting if its language is unknown."""
    name = LEXERS.get(language.lower())
    if name is None or len(code) > MAX_HIGHLIGHTED or UNUSUAL.search(code):
        return escape(code)
    tokens = tokens_of(code, get_lexer_by_name(name, stripnl=False))
    if tokens is None:
        return escape(code)
    parts = groupby(tokens, key=lambda token: class_of(token[0]))
    return "".join(
        marked(name, escape("".join(text for _, text in tokens))) for name, tokens in parts
    )


def tokens_of(code, lexer):
    """The tokens as `[(kind, text)]`; None if the code is not in the lexer's language."""
    tokens, errors = [], 0
    for token in lexer.get_tokens(code):
        tokens.append(token)
        errors += token[0] is Token.Error
        if errors > MAX_ERRORS:
            return None
    return tokens


def class_of(kind):
    while kind is not None and kind not in CLASSES:
        kind = kind.parent
    return CLASSES.get(kind)


def marked(name, html):
    return f'<span class="{name}">{html}</span>' if name else html


def language_of(path):
    """The language of a file, by its extension."""
    return path.rpartition("/")[2].rpartition(".")[2]
