"""Git servers on loopback, in the process of the tests: an honest one, and hostile ones."""

import io
import os
import subprocess
import zlib
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from dulwich.index import commit_tree
from dulwich.object_format import SHA1
from dulwich.objects import Blob, Commit, Tag
from dulwich.pack import pack_object_header
from dulwich.protocol import pkt_line
from dulwich.repo import MemoryRepo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

from demo.source import GitServer, QuietHandler

FILE, PROGRAM, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
PERSON = b"Ann <ann@example.com>"
REF = b"refs/heads/main"


class RepositoryInMemory:
    """A repository in memory."""

    def __init__(self):
        self.repo = MemoryRepo.init_bare([], {})
        self.store, self.time = self.repo.object_store, 1_700_000_000

    def commit(self, files, *, ref=REF, parents=None):
        """Commit these files: `{path: bytes or (bytes, mode)}`. Returns the sha as text."""
        entries = [
            (path.encode(errors="surrogateescape"), *self.entry(value))
            for path, value in files.items()
        ]
        return self.commit_tree(commit_tree(self.store, entries), ref=ref, parents=parents)

    def entry(self, value):
        data, mode = value if isinstance(value, tuple) else (value, FILE)
        if mode == SUBMODULE:
            return data, mode
        self.store.add_object(blob := Blob.from_string(data))
        return blob.id, mode

    def commit_tree(self, tree, *, ref=REF, parents=None):
        head = [self.repo.refs[ref]] if ref in self.repo.refs else []
        commit = Commit()
        commit.tree, self.time = tree, self.time + 60
        commit.parents = head if parents is None else [parent.encode() for parent in parents]
        commit.author = commit.committer = PERSON
        commit.author_time = commit.commit_time = self.time
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = b"Change"
        self.store.add_object(commit)
        self.repo.refs[ref] = commit.id
        return commit.id.decode()

    def tag(self, name, sha):
        tag = Tag()
        tag.name, tag.object, tag.tagger = name.encode(), (Commit, sha.encode()), PERSON
        tag.tag_time, tag.tag_timezone, tag.message = self.time, 0, b"A release"
        self.store.add_object(tag)
        self.repo.refs[f"refs/tags/{name}".encode()] = tag.id


@contextmanager
def served(upstream):
    """The URL of a repository. `requests` of the server are the headers of each."""
    requests = []
    chain = make_wsgi_chain(DictBackend({"/skills.git": upstream.repo}))

    def application(environ, start_response):
        requests.append(environ.get("HTTP_AUTHORIZATION"))
        return chain(environ, start_response)

    with running(GitServer(("127.0.0.1", 0), QuietHandler)) as server:
        server.set_app(application)
        upstream.requests = requests
        yield f"http://127.0.0.1:{server.server_port}/skills.git"


@contextmanager
def served_by_git(folder):
    """The URL of the repositories in a folder, behind git's own server."""

    def respond(handler):
        path, _, query = handler.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": handler.command,
            "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(handler.body)),
        }
        done = subprocess.run(
            ["git", "http-backend"],
            env=environment,
            input=handler.body,
            capture_output=True,
            check=True,
        )
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n" + done.stdout)

    with hostile(respond) as url:
        yield url.rpartition("/")[0]


@contextmanager
def hostile(respond):
    """The URL of a server that answers each request with `respond(handler)`."""

    class HostileHandler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            respond(self)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_):
            pass

    with running(ThreadingHTTPServer(("127.0.0.1", 0), HostileHandler)) as server:
        yield f"http://127.0.0.1:{server.server_port}/skills.git"


@contextmanager
def running(server):
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


CAPABILITIES = b"multi_ack_detailed side-band-64k ofs-delta shallow no-progress"
SHA = b"a" * 40


def respond(handler, body, *, status=200, kind=None, headers=()):
    """Send a response, as git's server would say of what kind it is."""
    kind = kind or ("advertisement" if handler.command == "GET" else "result")
    handler.send_response(status)
    handler.send_header("Content-Type", f"application/x-git-upload-pack-{kind}")
    for name, value in headers:
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def advertised(sha=SHA, capabilities=CAPABILITIES):
    ref = pkt_line(sha + b" " + REF + b"\0" + capabilities + b"\n")
    return pkt_line(b"# service=git-upload-pack\n") + pkt_line(None) + ref + pkt_line(None)


def result(pack, sha=SHA):
    """The response with a pack: bytes of it, in one band."""
    pieces = [pack[start : start + 60_000] for start in range(0, len(pack), 60_000)]
    return b"".join(
        [
            pkt_line(b"shallow " + sha),
            pkt_line(None),
            pkt_line(b"NAK\n"),
            *(pkt_line(b"\1" + piece) for piece in pieces),
            pkt_line(None),
        ]
    )


def answering(pack, sha=SHA):
    """A server with one commit, in this pack."""

    def answer(handler):
        respond(handler, advertised(sha) if handler.command == "GET" else result(pack, sha))

    return answer


def pack_of(*objects):
    """A pack of `(type, data)`; of a delta, data is `(sha of the base, delta)`."""
    body = io.BytesIO()
    body.write(b"PACK" + (2).to_bytes(4, "big") + len(objects).to_bytes(4, "big"))
    for kind, value in objects:
        base, data = value if isinstance(value, tuple) else (None, value)
        body.write(bytes(pack_object_header(kind, base, len(data), SHA1)))
        body.write(zlib.compress(data))
    return body.getvalue() + sha1(body.getvalue()).digest()
