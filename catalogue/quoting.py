"""Putting those values in quotes that YAML cannot read."""

import json
import re

from catalogue.yaml_fields import read_yaml

MAX_NESTED = 20  # blocks in each other whose values are put in quotes
LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# A line that begins a field or an item of a list: indentation, dash, key, colon.
KEY = re.compile(r"""([ ]*)(?:(-[ \t]+)|((["']?)[A-Za-z_][\w./-]*\4[ \t]*:)(?=\s|\Z))""")
BLOCK = re.compile(r"[|>][-+\d]{0,2}")  # what says that a block follows
ANCHOR = re.compile(r"&([\w-]+)")


class Quoter:
    """Puts those values in quotes that YAML cannot read, such as `Use when: x`."""

    def __init__(self, text):
        self.text = text
        # A field may refer to another one.
        self.anchors = tuple(dict.fromkeys(ANCHOR.findall(text), ("", 0)).items())

    def quoted(self):
        return self.block(self.text)

    def block(self, text, depth=0):
        if depth == MAX_NESTED:
            return text
        return "".join(
            chunk if self.is_readable(chunk) else self.value(chunk, depth)
            for chunk in chunks_of(text)
        )

    def is_readable(self, chunk):
        return read_yaml(chunk, self.anchors) is not None or not is_said(chunk)

    def value(self, chunk, depth):
        match = KEY.match(chunk)
        if match is None:
            return chunk
        lines, end = lines_and_end(chunk[match.end() :])
        first, more = lines[0].strip(), "".join(lines[1:])
        if match[2]:  # an item: what follows its dash is a block of its own
            inner = " " * match.end() + chunk[match.end() :]
            if KEY.match(inner):
                return match[0] + self.block(inner, depth + 1)[match.end() :]
        elif more and (not first or first.startswith("#")):
            if KEY.match(more):
                return match[0] + lines[0] + self.block(more, depth + 1) + end
            if more.startswith("\t"):
                return chunk
        if more and BLOCK.fullmatch(first):
            del lines[0]
        text = " ".join(part for line in lines if (part := line.strip()))
        return f"{match[0].rstrip()} {in_quotes(without_quotes(text))}{end}"


def chunks_of(text):
    """The fields or the items of a block, each with the lines that continue it."""
    lines = LINES.findall(text)
    keys = [KEY.match(line) for line in lines]
    first = next((key for key in keys if key), None)
    chunks = [""]
    for line, key in zip(lines, keys, strict=True):
        # The items of a list may begin where its key does.
        if key and key[1] == first[1] and bool(key[2]) == bool(first[2]):
            chunks.append("")
        chunks[-1] += line
    return [chunk for chunk in chunks if chunk]


def lines_and_end(text):
    """Its lines, at least one; apart from the last newline, and what only sets them apart."""
    lines, end = LINES.findall(text), ""
    while len(lines) > 1 and not is_said(lines[-1]):
        end = lines.pop() + end
    last = lines.pop() if lines else ""
    stripped = last.rstrip("\r\n")
    return [*lines, stripped], last[len(stripped) :] + end


def is_said(text):
    """Whether a text holds more than comments."""
    return any(line.strip() and line.strip()[0] != "#" for line in LINES.findall(text))


def without_quotes(text):
    """Without quotes around all of it that YAML does not understand: `"Say "hi""`."""
    quote, inner = text[:1], text[1:-1]
    if len(text) < 2 or quote not in "\"'" or text[-1] != quote:
        return text
    # `"This" or "that"` starts with one word in quotes and ends with another.
    word, _, rest = inner.partition(quote)
    is_word = word[-1:].strip() and not rest[:1].isalnum()
    return text if is_word and inner.count(quote) % 2 == 0 else inner


def in_quotes(text):
    """The text as a scalar in quotes, on one line."""
    if not text.isprintable():
        return json.dumps(text).replace("\x7f", "\\x7f")
    if "'" in text and not {'"', "\\"} & set(text):
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"
