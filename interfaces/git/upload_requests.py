"""A client's request for a pack: its commits, and those that the client has."""

import re
import zlib
from dataclasses import dataclass, field
from io import BytesIO

from dulwich.errors import GitProtocolError, HangupException
from dulwich.protocol import Protocol

from interfaces.git.exceptions import UnreadableRequest

MAX_REQUEST = 4 * 1024 * 1024  # bytes of a request, once it is unpacked: 80,000 wants
MAX_HAVES = 1024  # different ones; further ones are ignored
LINE = re.compile(
    rb"(want|have|shallow) ([0-9a-f]{40})(?: (.*))?|deepen ([1-9]\d{0,9})|filter (\S+)|(done)"
)


@dataclass
class UploadRequest:
    """The lines of a client. Shas are bytes, each of them once, in the order of the lines."""

    wants: list = field(default_factory=list)
    haves: list = field(default_factory=list)
    shallow: list = field(default_factory=list)
    depth: int | None = None
    filter: bytes | None = None
    capabilities: set = field(default_factory=set)
    is_done: bool = False
    is_whole: bool = False  # whether the client waits for a response to its haves

    @property
    def shas(self):
        return {*self.wants, *self.haves, *self.shallow}


def unpacked(body, encoding):
    """The body of a request. git compresses long ones."""
    if encoding in {"gzip", "x-gzip"}:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            body = unpacker.decompress(body, MAX_REQUEST + 1)
        except zlib.error as error:
            raise UnreadableRequest from error
    elif encoding:
        raise UnreadableRequest
    if len(body) > MAX_REQUEST:
        raise UnreadableRequest
    return body


def read(body, encoding):
    """The UploadRequest in a body. Raises UnreadableRequest."""
    request, lines = UploadRequest(), Protocol(BytesIO(unpacked(body, encoding)).read, None)
    try:
        for line in lines.read_pkt_seq():
            read_line(request, line, {b"want", b"shallow", b"deepen", b"filter"})
        while request.wants and not request.is_done:
            line = lines.read_pkt_line()
            if line is None:
                break
            read_line(request, line, {b"have", b"done"})
        request.is_whole = bool(request.wants)
    except HangupException:
        pass  # The body ends after `deepen`: the client first asks where its history is cut.
    except (GitProtocolError, AssertionError, ValueError) as error:
        raise UnreadableRequest from error
    request.wants, request.shallow = distinct(request.wants), distinct(request.shallow)
    request.haves = distinct(request.haves)[:MAX_HAVES]
    return request


def distinct(shas):
    return list(dict.fromkeys(shas))


def read_line(request, line, accepted):
    match = LINE.fullmatch(line.rstrip(b"\n"))
    word = line.split()[:1]
    if match is None or not accepted.issuperset(word):
        raise UnreadableRequest
    kind, sha, rest, depth, spec, done = match.groups()
    if kind == b"want":
        request.wants.append(bytes.fromhex(sha.decode()))
        request.capabilities.update((rest or b"").split())
    elif kind == b"have":
        request.haves.append(bytes.fromhex(sha.decode()))
    elif kind == b"shallow":
        request.shallow.append(bytes.fromhex(sha.decode()))
    elif depth:
        request.depth = int(depth)
    elif spec:
        request.filter = spec
    request.is_done = done is not None
