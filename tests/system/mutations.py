"""Changes of a raw request, one layer at a time: its bytes, its head, its framing, its JSON."""

import json

from tests.system import fuzz_dictionary
from tests.system.operations import escaped

JSON_VALUES = [text.encode("utf-8", "surrogatepass") for text in fuzz_dictionary.JSON]
MARKER = "@here@"


def mutated(rng, data, other):
    """The request after one to four changes; `other` is a valid one to splice in."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(MUTATIONS)(rng, data, other) or data
    return data


def flip(rng, data, _other):
    place = rng.randrange(len(data))
    changed = data[place] ^ (1 << rng.randrange(8)) if rng.random() < 0.5 else rng.randrange(256)
    return data[:place] + bytes([changed]) + data[place + 1 :]


def delete(rng, data, _other):
    start, end = piece(rng, data)
    return data[:start] + data[end:]


def duplicate(rng, data, _other):
    start, end = piece(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]


def insert(rng, data, _other):
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(fuzz_dictionary.BYTES) + data[place:]


def truncate(rng, data, _other):
    return data[: rng.randrange(1, len(data) + 1)]


def splice(rng, data, other):
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]


def follow(_rng, data, other):
    """A second request after the first, on the same connection."""
    return data + other


def piece(rng, data):
    start = rng.randrange(len(data))
    return start, min(len(data), start + rng.choice((1, 1, 2, 5, 20, 100)))


def on_lines(change):
    """A mutation of the lines of the head."""

    def mutation(rng, data, _other):
        head, end, body = data.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        change(rng, lines)
        return b"\r\n".join(lines) + end + body

    return mutation


@on_lines
def swap_lines(rng, lines):
    rng.shuffle(lines) if rng.random() < 0.2 else lines.reverse()


@on_lines
def shuffle_headers(rng, lines):
    headers = lines[1:]
    rng.shuffle(headers)
    lines[1:] = headers


@on_lines
def repeat_line(rng, lines):
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))


@on_lines
def drop_line(rng, lines):
    lines.pop(rng.randrange(len(lines)))


@on_lines
def change_header(rng, lines):
    """Replace or add a header."""
    name = rng.choice(sorted(fuzz_dictionary.HEADERS))
    if rng.random() < 0.8:
        lines[1:] = [line for line in lines[1:] if not line.startswith(name.encode("latin-1"))]
    add_header(lines, name, rng.choice(fuzz_dictionary.HEADERS[name]))


@on_lines
def change_length(rng, lines):
    for number, line in enumerate(lines):
        if line.startswith(b"Content-Length: ") and line[16:34].isdigit() and len(line) < 34:
            length = int(line[16:]) + rng.choice((-1000, -5, -2, -1, 1, 2, 5, 1000, 70_000))
            lines[number] = b"Content-Length: %d" % length
            return
    add_header(lines, "Content-Length", str(rng.choice((1, 5, 1000, 70_000))))


@on_lines
def change_first_line(rng, lines):
    words = lines[0].split(b" ")
    values = (fuzz_dictionary.METHODS, fuzz_dictionary.TARGETS, fuzz_dictionary.VERSIONS)
    part = rng.randrange(3)
    words[part : part + 1] = [rng.choice(values[part]).encode("latin-1")]
    lines[0] = b" ".join(words)


@on_lines
def change_query(rng, lines):
    words = lines[0].split(b" ")
    text = rng.choice(fuzz_dictionary.TEXTS).encode("utf-8", "surrogatepass")
    value = b"".join(b"%%%02X" % byte for byte in text[:1000])
    name = escaped(rng.choice(fuzz_dictionary.PARAMETERS)).encode()
    mark = b"&" if b"?" in words[1:2] else b"?"
    words[1:2] = [b"".join((*words[1:2], mark, name, b"=", value))]
    lines[0] = b" ".join(words)


def add_header(lines, name, value):
    lines.append(f"{name}: {value}".encode("latin-1", "replace"))


def in_chunks(rng, data, _other):
    """The body in chunks, one of whose sizes, ends or trailers may be wrong."""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    lines.append(b"Transfer-Encoding: chunked")
    cut = rng.randrange(len(body) + 1)
    chunks = [b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part]
    trailer = rng.choice((b"", b"", b"X-Sum: 1\r\n", b"Host: x\r\n", b"bad\r\n"))
    chunks += [b"0\r\n", trailer, b"\r\n"]
    if rng.random() < 0.6:
        place = rng.randrange(len(chunks))
        chunks[place] = rng.choice(CHUNKS)
    return b"\r\n".join(lines) + b"\r\n\r\n" + b"".join(chunks)


CHUNKS = [
    *(b"", b"0\r\n", b"\r\n", b"-1\r\n{}\r\n", b"0x2\r\n{}\r\n", b"f" * 20 + b"\r\n{}\r\n"),
    *(b"2 \r\n{}\r\n", b"2\n{}\n", b"3\r\n{}\r\n", b"1\r\n{}\r\n", b"02\r\n{}\r\n", b"2\r\n{}XX"),
    *(b"2;a=b\r\n{}\r\n", b'2;a="\r\n{}\r\n', b"2;" + b"a" * 9000 + b"\r\n{}\r\n"),
    b"10001\r\n" + b" " * 0x10001 + b"\r\n",
]


def on_body(change):
    """A mutation of a JSON body, with the length that the new body has."""

    def mutation(rng, data, _other):
        head, _, body = data.partition(b"\r\n\r\n")
        try:
            members = json.loads(body)
            body = change(rng, members) if isinstance(members, dict) else body
        except (ValueError, RecursionError):
            return data
        lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
        add_header(lines, "Content-Length", str(len(body)))
        return b"\r\n".join(lines) + b"\r\n\r\n" + body

    return mutation


@on_body
def change_value(rng, members):
    """Another value for one member, or for one nested in it."""
    name = rng.choice([*members, "extra"])
    members[name] = rng.choice((MARKER, MARKER, [MARKER], {"a": MARKER}, {MARKER: 1}))
    return json.dumps(members).encode().replace(b'"%b"' % MARKER.encode(), rng.choice(JSON_VALUES))


@on_body
def change_name(rng, members):
    name = rng.choice([*members, "extra"])
    text = json.dumps(members | {MARKER: members.get(name)}).encode()
    return text.replace(MARKER.encode(), rng.choice((name.encode(), rb"\u0000", rb"\ud800", b"")))


@on_body
def drop_member(rng, members):
    if members:
        members.pop(rng.choice([*members]))
    return json.dumps(members).encode()


@on_body
def break_text(rng, members):
    return flip(rng, insert(rng, json.dumps(members).encode(), b""), b"")


@on_body
def change_encoding(rng, members):
    text = json.dumps(members, ensure_ascii=False)
    return text.encode(rng.choice(("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-7")))


MUTATIONS = [
    *(flip, flip, delete, duplicate, insert, insert, truncate, splice, follow),
    *(swap_lines, shuffle_headers, repeat_line, drop_line, change_header, change_header),
    *(change_length, change_first_line, change_query, in_chunks),
    *(change_value, change_value, change_name, drop_member, break_text, change_encoding),
]
