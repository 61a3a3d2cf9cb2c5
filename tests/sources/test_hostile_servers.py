"""A source whose server misbehaves is failing, with one sentence."""

from hashlib import sha1

import pytest
from dulwich.protocol import pkt_line

from sources import fetching
from sources.exceptions import SourceFails
from sources.remote import without
from tests.sources.conftest import source_of
from tests.sources.upstreams import (
    CAPABILITIES,
    SHA,
    advertised,
    answering,
    hostile,
    pack_of,
    respond,
    result,
)

COMMIT, TREE, BLOB, TAG, REF_DELTA = 1, 2, 3, 4, 7
UNREADABLE = "The server does not answer as git's smart HTTP does."
DAMAGED = "The server sends a damaged pack."


def sha_of(kind, data):
    return sha1(b"%s %d\0%s" % (kind, len(data), data)).hexdigest().encode()


EMPTY_TREE = sha_of(b"tree", b"")
LONELY = b"tree %s\n\nNo author\n" % EMPTY_TREE
LOOP = b"object %s\ntype tag\n" % SHA
BLOB_TAG = b"object %s\ntype blob\n" % sha_of(b"blob", b"x")


def first(**fields):
    """Answer the first request so."""
    return lambda handler: respond(handler, fields.pop("body", advertised()), **fields)


def then(body):
    """Announce a ref, and answer the request for its pack so."""
    return lambda handler: respond(handler, advertised() if handler.command == "GET" else body)


SERVERS = {
    "a redirect": (
        first(status=302, headers=[("Location", "http://127.0.0.1:1/x")]),
        "The server redirects to http://127.0.0.1:1/x. Write that address, if you trust it.",
    ),
    "no token": (first(status=401), "The server refuses the token, or asks for one (401)."),
    "a wrong token": (first(status=403), "The server refuses the token (403)."),
    "no repository": (first(status=404), "The server has no such repository, or hides it (404)."),
    "an error": (first(status=500), "The server answers with the status 500."),
    "a page": (first(kind="page"), UNREADABLE),
    "nothing": (first(body=b""), UNREADABLE),
    "no packets": (first(body=b"hello, world"), UNREADABLE),
    "half a packet": (first(body=advertised()[:60]), UNREADABLE),
    "another service": (first(body=pkt_line(b"# service=git-receive-pack\n")), UNREADABLE),
    "a sentence": (
        first(body=pkt_line(b"# service=git-upload-pack\n") + b"0000" + pkt_line(b"ERR No\x1b[1m")),
        "The server says: No\ufffd[1m",
    ),
    "no refs": (
        first(body=pkt_line(b"# service=git-upload-pack\n") + pkt_line(None) + pkt_line(None)),
        "The repository has no branch or tag main.",
    ),
    "no shallow": (
        first(body=advertised(capabilities=b"side-band-64k")),
        "The server cannot send one commit alone: it lacks shallow.",
    ),
    "SHA-256": (
        first(body=advertised(capabilities=CAPABILITIES + b" object-format=sha256")),
        "The repository uses SHA-256, which is not supported.",
    ),
    "an error instead of a pack": (
        then(pkt_line(b"ERR not our ref")),
        "The server says: not our ref",
    ),
    "an error in the pack": (
        then(pkt_line(None) + pkt_line(b"NAK\n") + pkt_line(b"\3Out of memory")),
        "The server says: Out of memory",
    ),
    "no end": (then(result(b"PACK")[:-4]), UNREADABLE),
    "no pack": (then(result(b"")), DAMAGED),
    "garbage": (then(result(b"garbage" * 100)), DAMAGED),
    "a wrong checksum": (then(result(pack_of((BLOB, b"x"))[:-1] + b"!")), DAMAGED),
    "more objects": (
        then(result(b"PACK" + (2).to_bytes(4, "big") + b"\xff\xff\xff\xff" + bytes(20))),
        "The ref has more than 200,000 files and folders.",
    ),
    "not what was wanted": (answering(pack_of((BLOB, b"x"))), DAMAGED),
    "no tree": (answering(pack_of((COMMIT, LONELY)), sha_of(b"commit", LONELY)), DAMAGED),
    "a commit without a tree": (
        answering(pack_of((COMMIT, b"x")), sha_of(b"commit", b"x")),
        DAMAGED,
    ),
    "a tag of nothing": (answering(pack_of((TAG, LOOP)), sha_of(b"tag", LOOP)), DAMAGED),
    "a tag of a blob": (
        answering(pack_of((TAG, BLOB_TAG), (BLOB, b"x")), sha_of(b"tag", BLOB_TAG)),
        "The ref leads to no commit.",
    ),
    "a delta of nothing": (answering(pack_of((REF_DELTA, (b"\1" * 20, b"x")))), DAMAGED),
}


@pytest.mark.contract("30.18")
@pytest.mark.parametrize("name", SERVERS)
def test_a_hostile_server_makes_the_source_fail_in_one_sentence(settings, fetch, name):
    answer, sentence = SERVERS[name]
    with hostile(answer) as url:
        settings.SOURCE_HOSTS = [url.split("/")[2]]
        with pytest.raises(SourceFails) as failure:
            fetch(url)
    assert str(failure.value) == sentence


@pytest.mark.contract("30.20")
@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "/etc/passwd", "ext::sh -c id", "ssh://git.example.com/x"),
        *("git://git.example.com/x", "--upload-pack=id", "-oProxyCommand=id", ""),
        *("https://git.example.com", "https://git.example.com:444/x", "http://git.example.com/x"),
        *("https://git.example.com.evil.example/x", "https://git.example.com@evil.example/x"),
        *("https://ann:secret@git.example.com/x", "https://git.example.com:443@evil.example/x"),
        *("https://evil.example\\@git.example.com/x", "https://evil.example#@git.example.com/x"),
        *("https://evil.example?@git.example.com/x", "https://git.example.com/x?a=b"),
        *("https://git.example.com/x\r\nHost: evil.example", "https://git.example.com /x"),
        *("https://127.0.0.1/x", "http://127.1:3000/x", "http://0x7f000001:3000/x"),
        *("http://[::1]:3000/x", "http://2130706433:3000/x", "http://localhost.:3000/x"),
        *("http://127.0.0.1/x", "http://127.0.0.1:80/x", "http://127.0.0.1:3000@evil.example/x"),
        *("https://\uff47it.example.com/x", "https://git.example.com:99999/x"),
    ],
)
def test_only_a_listed_host_is_asked(settings, monkeypatch, url):
    settings.SOURCE_HOSTS = ["git.example.com", "127.0.0.1:3000"]
    monkeypatch.setattr(fetching, "run_child", None)
    with pytest.raises(SourceFails), fetching.fetched(source_of(url)):
        pass


@pytest.mark.contract("30.20")
def test_the_token_goes_to_the_host_of_the_source_alone(upstream, fetch, settings, monkeypatch):
    monkeypatch.setenv("SOURCE_TOKEN_TEAM", "secret")
    upstream.commit({"a": b"1"})
    fetch(upstream.url)
    assert set(upstream.requests) == {None}
    upstream.requests.clear()
    fetch(upstream.url, token_variable="SOURCE_TOKEN_TEAM")
    assert upstream.requests == ["Basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0"] * 2  # x-access-token:secret
    upstream.requests.clear()
    monkeypatch.setenv("SOURCE_TOKEN_TEAM", "ann:secret")
    fetch(upstream.url, token_variable="SOURCE_TOKEN_TEAM")
    assert upstream.requests == ["Basic YW5uOnNlY3JldA=="] * 2
    upstream.requests.clear()
    with hostile(first(status=307, headers=[("Location", f"{upstream.url}/info/refs")])) as url:
        settings.SOURCE_HOSTS.append(url.split("/")[2])
        with pytest.raises(SourceFails, match="The server redirects to"):
            fetch(url, token_variable="SOURCE_TOKEN_TEAM")
    assert upstream.requests == []


@pytest.mark.contract("30.20")
@pytest.mark.parametrize(
    ("variable", "sentence"),
    [
        ("SECRET_KEY", "Write the name of an environment variable that begins with SOURCE_TOKEN_."),
        ("SOURCE_TOKEN_TEAM", "SOURCE_TOKEN_TEAM is not set where sync_sources runs."),
    ],
)
def test_a_token_that_is_not_there_is_not_sent(upstream, fetch, variable, sentence):
    with pytest.raises(SourceFails) as failure:
        fetch(upstream.url, token_variable=variable)
    assert (str(failure.value), upstream.requests) == (sentence, [])


@pytest.mark.contract("30.20")
@pytest.mark.parametrize("start", [0, 150, 190, 199])
def test_no_part_of_a_token_is_quoted(settings, fetch, monkeypatch, start):
    monkeypatch.setenv("SOURCE_TOKEN_TEAM", "s3cret-of-the-team")
    said = f"{'x' * start}s3cret-of-the-team"
    error = pkt_line(b"# service=git-upload-pack\n") + b"0000" + pkt_line(b"ERR " + said.encode())
    redirect = first(status=302, headers=[("Location", said)])

    for answer in (first(body=error), redirect):
        with hostile(answer) as url:
            settings.SOURCE_HOSTS = [url.split("/")[2]]
            with pytest.raises(SourceFails) as failure:
                fetch(url, token_variable="SOURCE_TOKEN_TEAM")
        assert f"{'x' * start}…" in str(failure.value)
        assert "xs" not in str(failure.value)


@pytest.mark.contract("30.20")
def test_neither_a_token_nor_its_secret_part_is_quoted():
    said = "The server says: s3cret of ann:s3cret (YW5uOnMzY3JldA==) is old"
    assert without(said, "ann:s3cret") == "The server says: … of … (…) is old"
