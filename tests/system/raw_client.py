"""An HTTP client that sends raw bytes on kept connections, and checks every response."""

import json
import re
import socket
from dataclasses import dataclass

TIMEOUT = 10  # seconds until the response to a complete request
LENGTH = re.compile(rb"[0-9]{1,4300}")  # gunicorn reads no longer number
MCP = re.compile(rb"^[A-Z]+ /mcp", re.MULTILINE)
CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]+")
INCOMPLETE, UNREADABLE = "incomplete", "unreadable"


class InvalidResponse(AssertionError):
    """A response that no request may get, or none at all."""


# Pages for people, which are in HTML, as request targets with or without a host.
PAGES = re.compile(
    rb"/(?:admin|claim|operator)|"
    rb" (?:\w+://[^/ ]*)?(?:/?[?# ]|/(?:docs|personas|skills|feed\.atom|sitemap-?[^/ ]*\.xml))",
    re.IGNORECASE,  # /Skills redirects to /skills
)

# Files, and their media types.
FILE = re.compile(rb"SKILL\.md|archive\.zip|/files/")
FILES = {
    *("text/markdown; charset=utf-8", "text/plain; charset=utf-8"),
    *("application/zip", "application/octet-stream"),
}


@dataclass(frozen=True)
class RawResponse:
    status: int
    headers: dict
    body: bytes
    is_to_head: bool

    @property
    def closes(self):
        return self.headers.get("connection") == "close"

    def check(self, sent):
        """Raise InvalidResponse unless this is a possible response to `sent` (contract 3.1)."""
        if self.status >= 500:
            raise InvalidResponse(f"status {self.status}: {self.body[:300]!r}")
        if PAGES.search(sent):
            return
        if self.status < 400 and self.status not in {200, 201, 202, 206, 304}:
            raise InvalidResponse(f"status {self.status}, Location {self.headers.get('location')}")
        is_file = self.status in {200, 206} and FILE.search(sent)
        allowed = {"application/json", *(FILES if is_file else ())}
        if self.status != 304 and self.headers.get("content-type") not in allowed:
            raise InvalidResponse(f"status {self.status} as {self.headers.get('content-type')}")
        if self.status >= 400 and not (self.is_to_head and not self.body):
            self.check_error(is_of_mcp=MCP.search(sent) is not None)

    def check_error(self, *, is_of_mcp):
        if is_of_mcp and self.body.startswith(b'{"jsonrpc":"2.0",'):
            return  # an error of the protocol (contract 22.4)
        try:
            ((key, error),) = json.loads(self.body, object_pairs_hook=list)
        except (ValueError, TypeError):
            raise InvalidResponse(
                f"status {self.status} with the body {self.body[:300]!r}"
            ) from None
        if key != "error" or not isinstance(error, str) or not error.strip():
            raise InvalidResponse(f"status {self.status} with the body {self.body[:300]!r}")


class RawClient:
    """Sends bytes unchanged, on one connection after another."""

    def __init__(self, port):
        self.port = port
        self.link = None
        self.received = b""
        self.last = b""
        self.connections = 0

    def send(self, data):
        """Send the bytes; returns the checked responses.

        The connection is kept if the bytes are complete requests and every response keeps it.
        Otherwise the sending side is closed, so that the server waits for nothing more.
        """
        methods, rest = framed(data)
        is_new = self.link is None or not self.is_open()
        self.last = data
        if is_new:
            self.connect()
        responses = self.exchange(data, methods, rest)
        if not responses and not is_new:
            self.connect()
            responses = self.exchange(data, methods, rest)
        for response in responses:
            response.check(data)
        if methods and not responses:
            raise InvalidResponse("closed without a response to a complete request")
        if len(responses) > len(methods) + bool(rest not in {b"", UNREADABLE}):
            statuses = [response.status for response in responses]
            raise InvalidResponse(f"{len(methods)} requests got {statuses}: {responses[-1]}")
        return responses

    def exchange(self, data, methods, rest):
        is_whole = rest == b""
        try:
            self.link.sendall(data)
            if not is_whole:
                self.link.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # The server has answered and closed before it read all bytes.
        responses = []
        while not is_whole or len(responses) < len(methods):
            method = (methods[len(responses) :] or [first_word(rest)])[0]
            response = self.read_response(method)
            if response is None:
                break
            responses.append(response)
            if response.closes:
                if self.read_all():
                    raise InvalidResponse(f"bytes behind the last response {response}")
                break
        if not is_whole or len(responses) < len(methods) or responses[-1].closes:
            self.close()
        return responses

    def connect(self):
        self.close()
        self.link = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)
        self.received = b""
        self.connections += 1

    def close(self):
        if self.link is not None:
            self.link.close()
            self.link = None

    def is_open(self):
        """Whether the kept connection is open; no unexpected bytes may have arrived."""
        self.link.setblocking(False)
        try:
            self.received += self.link.recv(65536)
            is_open = False
        except BlockingIOError:
            is_open = True
        except ConnectionError:
            is_open = False
        self.link.settimeout(TIMEOUT)
        if self.received:
            raise InvalidResponse(
                f"a response that nobody asked for: {self.received[:300]!r}\n"
                f"  behind the response to: {short_repr(self.last)}"
            )
        return is_open

    def read_response(self, method):
        """The next response, or None if the connection ends."""
        head = self.read_line(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        status = int(first.split()[1])
        if status == 100:
            return self.read_response(method)
        headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
        is_to_head = method == b"HEAD"
        if is_to_head or status == 304:
            # gunicorn answers an unparsable request with a body, whatever the method, and closes.
            body = self.read_all() if headers.get("connection") == "close" else b""
        elif "content-length" in headers:
            body = self.read(int(headers["content-length"]))
        elif headers.get("transfer-encoding") == "chunked":
            body = b"".join(iter(self.read_chunk, b""))
        else:
            body = self.read_all()
        return RawResponse(status, headers, body, is_to_head)

    def read_chunk(self):
        size = int(self.read_line(b"\r\n"), 16)
        return self.read(size + 2)[:-2]

    def read_line(self, end):
        while end not in self.received:
            if not self.receive():
                if self.received:
                    raise InvalidResponse(f"a response that ends early: {self.received[:300]!r}")
                return None
        line, _, self.received = self.received.partition(end)
        return line

    def read(self, size):
        while len(self.received) < size:
            if not self.receive():
                raise InvalidResponse(f"a response that ends early: {self.received[:300]!r}")
        data, self.received = self.received[:size], self.received[size:]
        return data

    def read_all(self):
        while self.receive():
            pass
        data, self.received = self.received, b""
        return data

    def receive(self):
        """Whether more arrived before the end of the connection."""
        try:
            data = self.link.recv(65536)
        except TimeoutError:
            raise InvalidResponse(f"no response within {TIMEOUT} seconds") from None
        except ConnectionError:
            return False
        self.received += data
        return bool(data)


def framed(data):
    """The methods of the complete requests in the bytes, and the rest after them.

    A body without a clear end also counts as a complete request: it must be refused, and the bytes
    after it, UNREADABLE, must not be read as a request.
    """
    methods = []
    while data:
        head, end, rest = data.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        length = length_of_body(head, rest) if end else INCOMPLETE
        if length is INCOMPLETE:
            break
        methods.append(first_word(head))
        if length is UNREADABLE:
            return methods, UNREADABLE
        data = rest[length:]
    return methods, data


def first_word(data):
    return data.removeprefix(b"\r\n").split(b" ", 1)[0] if isinstance(data, bytes) else b""


def length_of_body(head, rest):
    fields = [line.partition(b":") for line in head.lower().split(b"\r\n")[1:]]
    lengths = [value.strip(b" \t") for name, _, value in fields if name == b"content-length"]
    codings = [value for name, _, value in fields if name == b"transfer-encoding"]
    if codings:
        return length_of_chunks(rest) if b"chunked" in b",".join(codings) else UNREADABLE
    if len(lengths) > 1 or not all(LENGTH.fullmatch(length) for length in lengths):
        return UNREADABLE
    length = int(lengths[0]) if lengths else 0
    return length if length <= len(rest) else INCOMPLETE


def length_of_chunks(rest):
    place = 0
    while (end := rest.find(b"\r\n", place)) >= 0:
        size = rest[place:end].partition(b";")[0].rstrip(b" \t")
        if not CHUNK_SIZE.fullmatch(size):
            return UNREADABLE
        if int(size, 16) == 0:
            # The trailer section ends with the first empty line, which may be this one.
            last = rest.find(b"\r\n\r\n", end)
            return last + 4 if last >= 0 else INCOMPLETE
        place = end + 2 + int(size, 16) + 2
        if place <= len(rest) and rest[place - 2 : place] != b"\r\n":
            return UNREADABLE
        if place > len(rest):
            return INCOMPLETE
    return INCOMPLETE


def short_repr(data):
    """The bytes as Python writes them, with long repetitions shortened."""
    parts = re.split(rb"((.)\2{59,})", data, flags=re.DOTALL)
    texts = [
        repr(same) if number % 3 == 0 else f"{same[:1]!r} * {len(same)}"
        for number, same in enumerate(parts)
        if same and number % 3 < 2
    ]
    return " + ".join(texts)
