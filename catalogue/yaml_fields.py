"""YAML as text, where all of its readers agree.

Every scalar is read as text: neither 1.10 nor a date is converted.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import yaml

MAX_DEPTH = 100
MAX_TEXT = 256 * 1024  # characters, with every alias written out
MAX_SHORT = 2048  # characters of a text of which many stay in memory
CORE = "tag:yaml.org,2002:"
# Plain scalars that some readers of YAML take for null, a boolean, a number or a date.
NULL = {"", "~", "null", "Null", "NULL"}
NOT_TEXT = re.compile(
    r"(?i:|~|null|true|false|yes|no|on|off|y|n|=|<<"
    r"|[-+]?(?:0[xob][\da-f_]+|\.inf|[\d_]*\.?[\d_]+(?::[\d.]+)*\.?(?:e[-+]?\d+)?)|\.nan"
    r"|\d{4}-\d\d?-\d\d?(?:[t \t].*)?)"
)
INTEGER = re.compile(r"[-+]?\d{1,15}")
FLOAT = re.compile(r"[-+]?(?:\.\d{1,15}|\d{1,15}(?:\.\d{0,15})?)(?:[eE][-+]?\d{1,2})?")


class Quoted(str):
    """A scalar that YAML reads as text whatever it says, because it is in quotes or a block."""

    __slots__ = ()


class FieldPlace(NamedTuple):
    """Where the key and the value of a field are in the text: the start and the end of each."""

    key: tuple
    value: tuple


class UnreadableYaml(Exception):
    """A text that some readers of YAML refuse."""


class Reader:
    """Reads YAML without recursion, since deep nesting would crash the process.

    Readers disagree on aliases to what contains them, on keys that are not text, on tags of their
    own and on duplicate keys: PyYAML takes the last one, the others refuse the file. All these are
    UnreadableYaml.
    """

    def __init__(self, text, anchors=()):
        self.text = str(text)  # the parser takes no subclass
        self.document, self.fields, self.line = None, {}, 0
        self.stack, self.anchors = [], dict(anchors)
        self.room = MAX_TEXT

    def read(self):
        if self.text.startswith("\ufeff"):
            raise UnreadableYaml("a byte order mark, which some take for a part of the key")
        for event in yaml.parse(self.text, Loader=yaml.CBaseLoader):
            self.line = event.start_mark.line
            if isinstance(event, yaml.ScalarEvent):
                self.add(event, scalar_of(event), len(event.value) + 1)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self.anchors:
                    raise UnreadableYaml("an alias to nothing")
                self.add(event, *self.anchors[event.anchor], is_new=False)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                start, value, _, room = self.stack.pop()
                self.add(start, value, room - self.room, end=event)
            elif isinstance(event, yaml.DocumentStartEvent) and self.document is not None:
                raise UnreadableYaml("a second document")
        return self.document

    def open(self, event):
        if len(self.stack) == MAX_DEPTH or is_foreign(event.tag):
            raise UnreadableYaml("too many levels, or an unknown tag")
        value = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.stack.append([event, value, None, self.room])
        self.room -= 1  # an alias to it costs as much: even empty ones in each other multiply

    def add(self, event, value, length, *, is_new=True, end=None):
        """Put a value into what contains it. `length` is that of its text."""
        if getattr(event, "anchor", None) and is_new:
            self.anchors[event.anchor] = value, length
        if end is None:
            self.room -= length
            if self.room < 0:
                raise UnreadableYaml("aliases for too much text")
        if not self.stack:
            self.document = value
            return
        _, parent, key, _ = top = self.stack[-1]
        if isinstance(parent, list):
            parent.append(value)
        elif key is None:
            if not isinstance(value, str) or value in parent:
                raise UnreadableYaml("a key that is no text, or that appears twice")
            top[2] = event, value
        else:
            parent[key[1]], top[2] = value, None
            if len(self.stack) == 1 or is_in_metadata(self.stack):
                name = key[1] if len(self.stack) == 1 else (self.stack[0][2][1], key[1])
                keys = key[0].start_mark.index, key[0].end_mark.index
                values = event.start_mark.index, (end or event).end_mark.index
                self.fields[name] = FieldPlace(keys, values)


def is_in_metadata(stack):
    """Whether the innermost mapping is the value of `metadata`."""
    return len(stack) == 2 and stack[0][2] is not None and stack[0][2][1].lower() == "metadata"


def scalar_of(event):
    if is_foreign(event.tag):
        raise UnreadableYaml("an unknown tag")
    is_text = event.style if event.tag in {None, "!"} else event.tag == f"{CORE}str"
    return Quoted(event.value) if is_text else event.value


def is_foreign(tag):
    return tag not in {None, "!"} and not tag.startswith(CORE)


def read_mapping(text):
    """The values of a YAML mapping, and its FieldPlaces; None if some readers refuse it.

    The places are by key. Those in `metadata` are by `(that key, key)`.
    """
    values, fields = document_of(text)
    return (values, fields) if isinstance(values, dict) else None


def read_yaml(text, anchors=()):
    """The YAML's value; None if it has none, or if some readers refuse it."""
    return document_of(text, anchors)[0]


def document_of(text, anchors=()):
    """The YAML's value, or None, and its FieldPlaces.

    An import reads a batch of files, then looks for repairs of each and edits its lines: it reads
    the same YAML each time. Many short texts stay in memory, and a few long ones.
    """
    read = read_short if len(text) <= MAX_SHORT else read_long
    return read(text, anchors)


def read_document(text, anchors):
    reader = Reader(text, anchors)
    try:
        return reader.read(), reader.fields
    except (yaml.YAMLError, UnreadableYaml):
        return None, {}


read_short, read_long = lru_cache(maxsize=128)(read_document), lru_cache(maxsize=8)(read_document)


def is_text(value):
    """Whether every reader takes the scalar for text."""
    return isinstance(value, Quoted) or (isinstance(value, str) and not NOT_TEXT.fullmatch(value))


def is_null(value):
    return isinstance(value, str) and value in NULL and not isinstance(value, Quoted)


def as_json(value):
    """A value as JSON, with the types of YAML's core schema."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return str(value) if isinstance(value, Quoted) else plain_as_json(value)


def plain_as_json(value):
    """A plain scalar as JSON. Numbers that JSON readers may round stay text."""
    if value in NULL:
        return None
    if value.lower() in {"true", "false"} and value[1:] in {value[1:].lower(), value[1:].upper()}:
        return value.lower() == "true"
    if INTEGER.fullmatch(value):
        return int(value)
    return float(value) if FLOAT.fullmatch(value) else value


# Writing


class Writer(yaml.SafeDumper):
    """Writes text as it was written: in quotes, or plain, even if it says `true`."""

    def ignore_aliases(self, data):
        return isinstance(data, str)


def represent_text(writer, text):
    if isinstance(text, Quoted):
        style = "|" if "\n" in text else '"'
        return writer.represent_scalar(f"{CORE}str", str(text), style=style)
    tag = writer.resolve(yaml.ScalarNode, text, (True, False))
    return writer.represent_scalar(tag, text)


Writer.add_representer(str, represent_text)
Writer.add_representer(Quoted, represent_text)


def as_yaml(fields):
    return yaml.dump(fields, Dumper=Writer, allow_unicode=True, sort_keys=False, width=10**6)
