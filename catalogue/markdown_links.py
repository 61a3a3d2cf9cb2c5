"""The links of a Markdown text that lead nowhere, and the definitions of links that hide a text."""

import posixpath
import re
from itertools import chain
from operator import itemgetter
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference

from catalogue.markdown_findings import (
    PARSER,
    Passage,
    blocks_of,
    body_of,
    excerpt,
    takes_long,
    with_children,
    without_fences,
)
from marketplace.hidden_text import Place

LINK = re.compile(r"\]\(\s*<?([^)\s>]*)")
# [label]: link, which may be in a list or a quote
DEFINITION = re.compile(r"^[ \t>*+\d.-]*\[[^\[\]]{1,999}\]:\s*<?([^\s>]+)", re.MULTILINE)
# A definition that has a title, or whose label may be a sentence
NOTE = re.compile(
    r"^[ \t>*+\d.-]*\[(?P<label>[^\[\]]{1,999})\]:\s*(?:<[^>\n]*>|\S+)"
    r"""(?:(?P<title>\s+["'(])|[ \t]*$)""",
    re.MULTILINE,
)
MAX_LABEL = 2  # words
LABEL = re.compile(r"\[([^\[\]]{1,999})\](?!:)")
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/|#|\?|\Z")
PLACEHOLDER = re.compile(r"[{}<>$*|\[\]]|%(?![0-9A-Fa-f]{2})|\.\.\.|…")


def dead_links(text, paths):
    """The relative links to what is not among the paths of a folder."""
    targets = {*paths}
    for path in paths:
        targets.update(parents_of(path))
    if has_dead(text, targets) and has_dead(without_fences(text), targets):
        for line, link in links_of(text):
            if is_dead(link, targets):
                yield Passage(line, f"{excerpt(unquote(link))} is not among the files")


def has_dead(text, targets):
    return any(is_dead(match[1], targets) for match in candidates(text))


def candidates(text):
    return chain(LINK.finditer(text), DEFINITION.finditer(text) if "]:" in text else ())


def parents_of(path):
    while path:
        path = posixpath.dirname(path)
        yield path or "."


def is_dead(link, targets):
    if ABSOLUTE.match(link):
        return False
    path = unquote(re.split(r"[?#]", link, maxsplit=1)[0])
    return not PLACEHOLDER.search(path) and posixpath.normpath(path) not in targets


def links_of(text):
    """The targets of the links and pictures outside of code, as (line, link)."""
    first, body = body_of(text)
    tokens = blocks_of(body)
    if tokens is None:
        place = Place(body)
        for position, link in sorted((match.start(), match[1]) for match in candidates(body)):
            yield first + place.line_of(position) - 1, link
        return
    for token, children in with_children(tokens, lambda content: "[" in content):
        line = first + token.map[0]
        for child in children or ():
            line += child.type in {"softbreak", "hardbreak"}
            link = child.attrGet("href") or child.attrGet("src")
            if link:
                yield line, link


def link_notes(text):
    """The definitions of links that hold a text and that no link uses: `[//]: # (a note)`."""
    if "]:" not in text or not any(notes_in(without_fences(text))):
        return
    first, body = body_of(text)
    used = {normalizeReference(label) for label in LABEL.findall(body)}
    for line, label, note in notes_in(body) if takes_long(body) else definitions_of(body):
        if label not in used:
            yield Passage(first + line, f"link definition that no link uses: {excerpt(note)}")


def notes_in(body):
    """The definitions that hold a text, as (line, label, text), wherever they are."""
    place = Place(body)
    for match in NOTE.finditer(body):
        label = match["label"]
        if match["title"] or len(label.split()) > MAX_LABEL:
            end = body.find("\n", match.end())
            line = place.line_of(match.start("label")) - 1
            yield line, normalizeReference(label), body[match.start() : end if end > 0 else None]


def definitions_of(body):
    """The same, outside of code."""
    env, lines = {}, body.split("\n")
    PARSER.parse(body, env)
    first = [{"label": label, **other} for label, other in env.get("references", {}).items()]
    for definition in sorted(first + env.get("duplicate_refs", []), key=itemgetter("map")):
        label, (start, end) = definition["label"], definition["map"]
        if definition["title"] or len(label.split()) > MAX_LABEL:
            yield start, label, " ".join(lines[start:end])
