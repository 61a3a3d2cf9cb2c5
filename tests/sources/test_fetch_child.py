"""The process that fetches: it has bounds, knows no secret, and leaves nothing behind."""

import os
import signal
import time
from base64 import b64decode
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path

import pytest
from dulwich.protocol import pkt_line

from sources import fetching
from sources.exceptions import SourceFails
from tests.sources.conftest import source_of
from tests.sources.upstreams import advertised, answering, hostile, pack_of, respond

pytestmark = pytest.mark.servers
BLOB, REF_DELTA = 3, 7
MIB = 2**20


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """The folder for temporary files, which each test must leave empty."""
    monkeypatch.setattr(fetching.tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert list(tmp_path.glob(f"{fetching.PREFIX}*")) == []
    assert children() == []


def children():
    """The processes that fetch, as their numbers."""
    own = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in own if b"fetch_child" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@contextmanager
def listed(settings, answer):
    with hostile(answer) as url:
        settings.SOURCE_HOSTS = [url.split("/")[2]]
        yield url


def failure_of(url, **fields):
    with pytest.raises(SourceFails) as failure, fetching.fetched(source_of(url, **fields)):
        pass
    return str(failure.value)


@pytest.mark.contract("30.16", "30.18")
def test_nothing_of_the_environment_matters(upstream, monkeypatch, tmp_path):
    (tmp_path / ".gitconfig").write_text('[url "http://127.0.0.1:1/"]\n insteadOf = "http://"\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    commit = upstream.commit({"a.md": b"1"})
    with fetching.fetched(source_of(upstream.url)) as fetched:
        assert (fetched.commit, fetched.rewritten, fetched.findings) == (commit, False, [])
        assert [(path.name, path.read_bytes()) for path in fetched.folder.iterdir()] == [
            ("a.md", b"1")
        ]


@pytest.mark.contract("30.18")
def test_a_server_that_sends_a_byte_a_second_is_left(settings, monkeypatch):
    monkeypatch.setattr(fetching, "SECONDS", 2)
    monkeypatch.setenv("SOURCE_TOKEN_TEAM", "secret")
    environments = []

    def drip(handler):
        [child] = children()
        environments.append(Path(f"/proc/{child}/environ").read_bytes())
        environments.append(Path(f"/proc/{child}/cmdline").read_bytes())
        respond(handler, b"")
        for byte in advertised():
            handler.wfile.write(bytes([byte]))
            time.sleep(1)

    with listed(settings, drip) as url:
        sentence = failure_of(url, token_variable="SOURCE_TOKEN_TEAM")
        assert sentence == "Fetching takes more than 2 seconds."
    names = {entry.partition(b"=")[0].decode() for entry in environments[0].split(b"\0")}
    assert names <= {"", *fetching.PASSED_ON}
    assert b"secret" not in environments[1]


@pytest.mark.contract("30.18")
@pytest.mark.parametrize("band", [b"\1", b"\2"])
def test_a_server_that_never_ends_is_left(settings, monkeypatch, band):
    monkeypatch.setattr(fetching, "ROOM", MIB)

    def pour(handler):
        if handler.command == "GET":
            return respond(handler, advertised())
        respond(handler, pkt_line(None) + pkt_line(b"NAK\n"))
        while True:
            handler.wfile.write(pkt_line(band + b"x" * 60_000))

    with listed(settings, pour) as url:
        assert failure_of(url) == "The server sends more than 1 MiB."


@pytest.mark.contract("30.20")
def test_a_server_that_says_the_token_is_not_quoted(settings, monkeypatch):
    monkeypatch.setenv("SOURCE_TOKEN_TEAM", "s3cret-of-the-team")

    def tell(handler):
        said = handler.headers["Authorization"].encode()
        text = b"ERR " + said + b" is " + b64decode(said.removeprefix(b"Basic "))
        respond(handler, pkt_line(b"# service=git-upload-pack\n") + b"0000" + pkt_line(text))

    with listed(settings, tell) as url:
        sentence = failure_of(url, token_variable="SOURCE_TOKEN_TEAM")
    assert sentence == "The server says: Basic … is x-access-token:…"


def copies(number, size):
    """A delta that copies its base of `size` bytes so often."""

    def length(value):
        data = b""
        while value > 127:
            data += bytes([value & 127 | 128])
            value >>= 7
        return data + bytes([value])

    return length(size) + length(size * number) + (b"\xf0" + size.to_bytes(3, "little")) * number


@pytest.mark.contract("30.18")
def test_a_delta_bomb_meets_the_limit_of_memory(settings, monkeypatch):
    base = bytes(8 * MIB)
    pack = pack_of((BLOB, base), (REF_DELTA, (sha_of_blob(base), copies(300, len(base)))))
    assert len(pack) < 20_000
    with listed(settings, answering(pack)) as url:
        assert failure_of(url) == "Reading the repository takes too much memory."


def sha_of_blob(data):
    return sha1(b"blob %d\0" % len(data) + data).digest()


@pytest.mark.contract("30.18")
def test_a_killed_child_makes_the_source_fail(settings):
    def kill(_handler):
        [child] = children()
        os.kill(child, signal.SIGKILL)

    with listed(settings, kill) as url:
        assert (
            failure_of(url) == "Reading the repository failed; the log of sync_sources says more."
        )


@pytest.mark.contract("30.18")
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_full_disk_is_said(upstream, tmp_path, size):
    upstream.commit({"a": os.urandom(size)})
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "fetched.pack").symlink_to("/dev/full")

    with pytest.raises(SourceFails) as failure:
        fetching.run_child(fetching.order_of(source_of(upstream.url), ""), folder)

    assert str(failure.value) == "A temporary file cannot be written: No space left on device."


@pytest.mark.slow
@pytest.mark.contract("30.16", "30.18")
def test_five_thousand_files(upstream):
    files = {f"skills/skill-{n % 500}/file-{n}.md": b"%d\n" % n for n in range(5000)}
    commit = upstream.commit(files)
    with fetching.fetched(source_of(upstream.url)) as fetched:
        assert (fetched.commit, fetched.findings) == (commit, [])
        paths = [path for path in fetched.folder.rglob("*") if path.is_file()]
        written = {str(path.relative_to(fetched.folder)): path.read_bytes() for path in paths}
    assert written == files


@pytest.mark.contract("30.22")
def test_what_a_killed_run_has_left_is_deleted_before_the_next_fetch(settings, folder):
    settings.SOURCE_HOSTS = []
    old, new = (folder / f"{fetching.PREFIX}{name}" for name in ("old", "new"))
    for path in (old, new):
        path.mkdir()
    os.utime(old, (0, 0))
    link = folder / f"{fetching.PREFIX}link"
    link.symlink_to("nowhere")

    failure_of("https://git.example.com/team.git")

    assert (old.exists(), new.exists()) == (False, True)
    new.rmdir()
    link.unlink()
