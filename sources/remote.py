"""A repository behind git's smart HTTP: its refs, the pack of one commit, its history.

dulwich reads and writes the packets, but its client is not used: it follows redirects, and reads
~/.gitconfig and the variables of proxies. `http.client` does none of that.
"""

import http.client
import re
import ssl
from base64 import b64encode
from contextlib import closing, contextmanager
from http import HTTPStatus

from dulwich.errors import GitProtocolError
from dulwich.protocol import Protocol, pkt_line

from importing.reports import printable, reason_of
from sources.exceptions import RefIsGone, SourceFails

SECONDS = 30  # without a byte
MAX_QUOTED = 200  # characters of what a server says
SERVICE = "git-upload-pack"
# dulwich's server requires thin packs of its clients; without a `have`, none is thin.
CAPABILITIES = {
    *(b"multi_ack_detailed", b"side-band-64k", b"ofs-delta", b"thin-pack", b"no-progress"),
}
REQUIRED = {b"shallow", b"side-band-64k"}
SHA = re.compile(rb"[0-9a-f]{40}")
PACK, FATAL = 1, 3  # bands; the other one tells of progress
UNREADABLE_ERRORS = GitProtocolError, http.client.HTTPException, AssertionError, ValueError
UNREADABLE = "The server does not answer as git's smart HTTP does."
STATUSES = {
    HTTPStatus.UNAUTHORIZED: "The server refuses the token, or asks for one (401).",
    HTTPStatus.FORBIDDEN: "The server refuses the token (403).",
    HTTPStatus.NOT_FOUND: "The server has no such repository, or hides it (404).",
}


class Remote:
    """`url` is a checked one. At most `room` bytes are received. Methods raise SourceFails."""

    def __init__(self, url, token, room):
        self.room, self.most = room, room
        self.path, self.is_tls = url.path.rstrip("/"), url.scheme == "https"
        self.host, self.port = url.hostname, url.port
        self.token = token
        self.headers = {"User-Agent": "git/agent-marketplace"}
        if token:
            self.headers["Authorization"] = f"Basic {encoded(token)}"
        self.capabilities = set()

    def sha_of(self, ref):
        """The object that a ref leads to, in hexadecimal bytes. Raises RefIsGone."""
        names = [ref] if ref.startswith("refs/") else [f"refs/heads/{ref}", f"refs/tags/{ref}"]
        places = {name.encode(): place for place, name in enumerate(names)}
        shas = {}
        with self.packets("GET", f"/info/refs?service={SERVICE}", "advertisement") as packets:
            self.expect(packets, f"# service={SERVICE}\n".encode(), None)
            for line in packets.read_pkt_seq():
                said, _, capabilities = self.refusing(line).rstrip(b"\n").partition(b"\0")
                self.capabilities.update(capabilities.split())
                sha, _, name = said.partition(b" ")
                if name in places and SHA.fullmatch(sha):
                    shas[places[name]] = sha
        if self.capabilities:  # An empty repository may have none.
            self.check_capabilities()
        if not shas:
            raise RefIsGone(f"The repository has no branch or tag {ref}.")
        return shas[min(shas)]

    def expect(self, packets, *lines):
        if any(packets.read_pkt_line() != line for line in lines):
            raise SourceFails(UNREADABLE)

    def check_capabilities(self):
        if b"object-format=sha256" in self.capabilities:
            raise SourceFails("The repository uses SHA-256, which is not supported.")
        if missing := REQUIRED - self.capabilities:
            names = b" and ".join(sorted(missing)).decode()
            raise SourceFails(f"The server cannot send one commit alone: it lacks {names}.")

    def write_pack(self, sha, file):
        """Write the pack of the object, with one commit, to the file."""
        body = self.want(sha) + pkt_line(b"deepen 1\n") + pkt_line(None) + pkt_line(b"done\n")
        with self.packets("POST", f"/{SERVICE}", "result", body) as packets:
            for line in packets.read_pkt_seq():  # where the history is cut
                self.refusing(line)
            self.refusing(packets.read_pkt_line() or b"")  # NAK
            for line in packets.read_pkt_seq():
                band, data = line[0], line[1:]
                if band == FATAL:
                    raise self.said(data)
                if band == PACK:
                    file.write(data)

    def has_lost(self, sha, known):
        """Whether the server says that a known commit is not in the history of the object.

        One commit does not show that. But a server says `ready` once all that a client wants leads
        to what it has. The known commit is sent as shallow, so that its parents do not count. A
        commit that is dated before its parents may hide them. A server that does not answer, such
        as dulwich's, has lost nothing.
        """
        if b"multi_ack_detailed" not in self.capabilities:
            return False
        shallow, have = (pkt_line(word + b" " + known + b"\n") for word in (b"shallow", b"have"))
        body = self.want(sha) + shallow + pkt_line(None) + have + pkt_line(None)
        try:
            with self.packets("POST", f"/{SERVICE}", "result", body) as packets:
                while (line := packets.read_pkt_line() or b"").rstrip() != b"NAK":
                    if self.refusing(line).rstrip().endswith(b" ready"):
                        return False
        except SourceFails:
            return False
        return True

    def want(self, sha):
        capabilities = b" ".join(sorted(CAPABILITIES & self.capabilities))
        return pkt_line(b"want " + sha + b" " + capabilities + b"\n")

    @contextmanager
    def packets(self, method, path, kind, body=None):
        """The packets of a response."""
        expected = f"application/x-{SERVICE}-{kind}"
        headers = self.headers | (
            {"Content-Type": f"application/x-{SERVICE}-request"} if body else {}
        )
        try:
            with closing(self.connection()) as link:
                with self.reaching():
                    link.request(method, self.path + path, body, headers)
                    response = link.getresponse()
                with response:
                    self.check(response, expected)
                    yield Protocol(lambda size: self.read(response, size), None)
        except UNREADABLE_ERRORS as error:
            raise SourceFails(UNREADABLE) from error

    @contextmanager
    def reaching(self):
        """Only around what uses the network: a disk raises an OSError, too."""
        try:
            yield
        except OSError as error:
            raise SourceFails(
                f"{self.host} cannot be reached: {printable(reason_of(error))}."
            ) from error

    def connection(self):
        if not self.is_tls:
            return http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(self.host, self.port, timeout=SECONDS, context=context)

    def read(self, response, size):
        with self.reaching():
            data = response.read(size)
        self.room -= len(data)
        if self.room < 0:
            raise SourceFails(f"The server sends more than {self.most // 2**20} MiB.")
        return data

    # What the server says

    def check(self, response, content_type):
        """Raises SourceFails for anything but the response of a git server."""
        if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
            place = self.quoted(response.getheader("Location", ""))
            raise SourceFails(
                f"The server redirects to {place}. Write that address, if you trust it."
            )
        if response.status != HTTPStatus.OK:
            said = f"The server answers with the status {response.status}."
            raise SourceFails(STATUSES.get(response.status, said))
        if response.getheader("Content-Type") != content_type:
            raise SourceFails(UNREADABLE)

    def refusing(self, line):
        """The line. Raises SourceFails if it is an error of the server."""
        if line.startswith(b"ERR "):
            raise self.said(line.removeprefix(b"ERR "))
        return line

    def said(self, data):
        return SourceFails(f"The server says: {self.quoted(data.decode(errors='replace').strip())}")

    def quoted(self, text):
        """The start of a text, without the token: a server may say what it was sent."""
        return printable(without(text, self.token))[:MAX_QUOTED]


def without(text, token):
    if not token:
        return text
    for secret in (token, encoded(token), token.partition(":")[2]):
        text = text.replace(secret, "…") if secret else text
    return text


def encoded(token):
    """The token as HTTP's Basic sends it. It may be `user:token`, where the user matters."""
    login = token if ":" in token else f"x-access-token:{token}"
    return b64encode(login.encode()).decode()
