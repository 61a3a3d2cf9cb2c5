"""The bounds of an issuer's answers, and the address of its keys (contract 31.9, 31.11)"""

import json
from contextlib import nullcontext
from threading import Event

import pytest
from django.core.exceptions import ValidationError

from marketplace import documents
from marketplace.addresses import checked
from tests.publishers.issuer import BOTH, CI


def hang(_handler, is_over):
    is_over.wait(60)


def drip(handler, is_over):
    for byte in b"HTTP/1.1 200 OK\r\n" * 100:
        handler.wfile.write(bytes([byte]))
        if is_over.wait(0.05):
            return


def redirect(handler):
    handler.reply(b"", 302, Location="/keys")


def endless(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: " + b"x" * 60_000 + b"\r\n")


def cut_off(handler):
    handler.reply(b"{}", **{"Content-Length": "1000"})


def not_http(handler):
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")


def huge_chunk(handler):
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"F" * 16 + b"\r\n{}"
    )


def long_line(handler):
    handler.wfile.write(b"\x1b[31m" + b"x" * 60_000 + b"\r\n")


ANSWERS = {
    redirect: "answers 302",
    endless: "longer than 262,144 bytes",
    cut_off: "IncompleteRead",
    not_http: "BadStatusLine: 'SSH-2.0-OpenSSH_9.2",
    huge_chunk: "OverflowError",
    long_line: "BadStatusLine: '\\x1b[31mx",
}
NO_KEYS = {
    "no keys": {"keys": []},
    "keys are no list": {"keys": {"kid": "first"}},
    "private": {"keys": [{"kty": "oct", "kid": "first", "k": "c2VjcmV0", "alg": "HS256"}]},
    "for encryption": {"keys": [CI("").keys[0] | {"use": "enc"}]},
    "of another algorithm": {"keys": [CI("").keys[0] | {"alg": ["ES256"]}]},
    "no point of the curve": {"keys": [CI("").keys[0] | {"x": "AAAA"}]},
    "numbers": {"keys": [CI("").keys[0] | {"x": 5}]},
    "without a name": {"keys": [CI("").keys[0] | {"kid": 5}]},
    "no object": {"keys": ["first", None, 5]},
    "a list": [],
}


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
@pytest.mark.parametrize("path", BOTH)
def test_an_answer_beyond_the_bounds(issuer, assert_unavailable, caplog, path, answer):
    issuer.answers[path] = answer

    assert_unavailable()
    assert issuer.fetched == BOTH[: BOTH.index(path) + 1]
    [warning] = [line for line in caplog.messages if "cannot be fetched" in line]
    assert ANSWERS[answer] in warning
    assert len(warning) < 400


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("answer", [hang, drip], ids=lambda answer: answer.__name__)
@pytest.mark.parametrize("path", BOTH)
def test_nobody_waits_for_the_end_of_a_slow_answer(
    issuer, assert_unavailable, monkeypatch, path, answer
):
    monkeypatch.setattr(documents, "SECONDS", 0.3)
    is_over, ended = Event(), []

    def answer_slowly(handler):
        answer(handler, is_over)
        ended.append(path)

    issuer.answers[path] = answer_slowly

    assert_unavailable()
    assert ended == []
    is_over.set()


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize(("blanks", "status"), [(200_000, 201), (2**18, 503), (2**20, 503)])
def test_an_answer_has_at_most_256_kib(issuer, exchange, blanks, status):
    document = b" " * blanks + json.dumps(issuer.answers[issuer.KEYS]).encode()
    issuer.answers[issuer.KEYS] = lambda handler: handler.reply(document)

    assert exchange(issuer.token()).status_code == status


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("keys", NO_KEYS)
def test_keys_that_no_token_may_be_signed_with(issuer, assert_unavailable, keys):
    issuer.answers[issuer.KEYS] = NO_KEYS[keys]

    assert_unavailable()


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize(
    "url",
    [
        "https://{host}/keys",
        "http://localhost:{port}/keys",
        "http://{host}@evil.example/keys",
        "http://evil.example#{host}/keys",
        "http://{host}.evil.example/keys",
        "//evil.example/keys",
        "/keys",
        "file:///keys",
        "",
        None,
        5,
    ],
)
def test_keys_come_from_the_issuers_own_host(issuer, assert_unavailable, url):
    host = issuer.url.removeprefix("http://")
    url = url.format(host=host, port=host.partition(":")[2]) if isinstance(url, str) else url
    issuer.answers[issuer.DISCOVERY]["jwks_uri"] = url

    assert_unavailable()
    assert issuer.fetched == [issuer.DISCOVERY]


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_a_discovery_document_of_another_issuer_is_refused(issuer, assert_unavailable):
    issuer.answers[issuer.DISCOVERY]["issuer"] = issuer.url + "/"

    assert_unavailable()


@pytest.mark.contract("31.9")
def test_an_issuer_may_have_a_path(issuer, exchange, agent):
    """As GitHub's own servers have: https://HOST/_services/token."""
    issuer.url += "/_services/token"
    keys = f"{issuer.url}/.well-known/jwks?v=1"
    issuer.answers = {
        f"/_services/token{issuer.DISCOVERY}": {"issuer": issuer.url, "jwks_uri": keys},
        "/_services/token/.well-known/jwks?v=1": issuer.answers[issuer.KEYS],
    }
    issuer.publisher(agent)

    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_neither_a_proxy_nor_the_size_of_a_key_set_matters(issuer, exchange, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:9")
    issuer.answers[issuer.KEYS]["keys"] += [{"kty": "RSA", "n": "x" * 1000}] * 200

    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.9")
@pytest.mark.parametrize(
    ("url", "is_safe"),
    [
        ("https://gitlab.example.com", True),
        ("https://gitlab.example.com:8443/path", True),
        ("http://127.0.0.1:8000", True),
        ("http://localhost", True),
        ("http://gitlab.example.com", False),
        ("http://127.0.0.2", False),
        ("http://127.0.0.1.example.com", False),
        ("http://127.0.0.1@example.com", False),
        ("https://user:pass@example.com", False),
        ("https://@example.com", False),
        ("https://:@example.com", False),
        ("https://example.com?x", False),
        ("https://example.com#x", False),
        ("https://example.com\\@127.0.0.1", False),
        ("https://example.com:port", False),
        ("https://exa\nmple.com", False),
        ("https://\u0435xample.com", False),
        ("https://", False),
        ("https:///path", False),
        ("ftp://example.com", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_the_addresses_of_issuers(url, is_safe):
    with nullcontext() if is_safe else pytest.raises(ValidationError):
        checked(url)
