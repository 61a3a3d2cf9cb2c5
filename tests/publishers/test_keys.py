"""Where the keys of an issuer come from, and how often they are fetched (contract 31.9 to 31.11)"""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from django.db import connection
from django.utils import timezone

from marketplace import fetching
from publishers.models import Issuer, Publisher
from tests.publishers.conftest import REFUSED, URL
from tests.publishers.issuer import CI, LoopbackIssuer

BUSY = {"error": "Service temporarily unavailable. Try again in a few seconds."}
BOTH = [LoopbackIssuer.DISCOVERY, LoopbackIssuer.KEYS]
MINUTE = timedelta(seconds=61)


def pass_time(time=MINUTE):
    """Let the last fetch have been earlier."""
    issuer = Issuer.objects.get()
    before = issuer.fetched_at and issuer.fetched_at - time
    Issuer.objects.update(tried_at=issuer.tried_at - time, fetched_at=before)


@pytest.fixture
def is_unavailable(exchange, issuer):
    def is_unavailable(low=1, high=60):
        response = exchange(issuer.token())
        assert (response.status_code, response.json()) == (503, BUSY)
        assert low <= int(response.headers["Retry-After"]) <= high
        return True

    return is_unavailable


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_keys_are_fetched_once(issuer, exchange):
    for _ in range(3):
        assert exchange(issuer.token()).status_code == 201

    assert issuer.fetched == BOTH


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_an_unknown_key_is_looked_for_once_a_minute(issuer, exchange, is_refused):
    assert exchange(issuer.token()).status_code == 201
    old = issuer.token()
    issuer.rotate(number=2, key_id="second")

    for _ in range(2):
        assert is_refused(issuer.token(), "no such key")
    assert issuer.fetched == BOTH
    pass_time()
    assert exchange(issuer.token()).status_code == 201
    assert issuer.fetched == BOTH * 2
    assert is_refused(old, "no such key")
    assert issuer.fetched == BOTH * 2


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_a_key_that_was_withdrawn_is_refused_after_an_hour(issuer, exchange, is_refused):
    assert exchange(issuer.token()).status_code == 201
    old = CI(issuer.url)
    issuer.rotate(number=2, key_id="second")

    pass_time()
    assert exchange(old.token()).status_code == 201
    pass_time(timedelta(hours=1))
    assert is_refused(old.token(), "no such key")


@pytest.mark.contract("31.11")
@pytest.mark.usefixtures("publisher")
def test_an_issuer_that_is_away(issuer, exchange, is_unavailable):
    answer = issuer.answers.pop(issuer.KEYS)
    assert is_unavailable()
    issuer.answers[issuer.KEYS] = answer

    assert is_unavailable()
    assert issuer.fetched == BOTH
    pass_time()
    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.11")
@pytest.mark.usefixtures("publisher")
def test_known_keys_do_not_need_the_issuer(issuer, exchange, is_unavailable):
    assert exchange(issuer.token()).status_code == 201
    issuer.answers.clear()
    pass_time()

    assert exchange(issuer.token()).status_code == 201
    issuer.key_id = "second"
    assert is_unavailable()
    issuer.key_id = "first"
    assert exchange(issuer.token()).status_code == 201


def hang(handler):
    time.sleep(1)


def drip(handler):
    for byte in b"HTTP/1.1 200 OK\r\n" * 10:
        handler.wfile.write(bytes([byte]))
        time.sleep(0.05)


def redirect(handler):
    handler.reply(b"", 302, Location="/keys")


def megabyte(handler):
    handler.reply(b" " * 2**20 + b"{}")


def endless(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: " + b"x" * 60_000 + b"\r\n")


def cut_off(handler):
    handler.reply(b"{}", **{"Content-Length": "1000"})


def not_http(handler):
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")


ANSWERS = [hang, drip, redirect, megabyte, endless, cut_off, not_http]
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
def test_an_answer_beyond_the_bounds(issuer, is_unavailable, monkeypatch, path, answer):
    monkeypatch.setattr(fetching, "SECONDS", 0.2)
    issuer.answers[path] = answer

    began = time.monotonic()
    assert is_unavailable()
    assert time.monotonic() - began < 1  # where it hangs, it takes longer
    assert issuer.fetched == BOTH[: BOTH.index(path) + 1]


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
@pytest.mark.parametrize("keys", NO_KEYS)
def test_keys_that_no_token_may_be_signed_with(issuer, is_unavailable, keys):
    issuer.answers[issuer.KEYS] = NO_KEYS[keys]

    assert is_unavailable()


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
def test_keys_come_from_the_issuers_own_host(issuer, is_unavailable, url):
    host = issuer.url.removeprefix("http://")
    url = url.format(host=host, port=host.partition(":")[2]) if isinstance(url, str) else url
    issuer.answers[issuer.DISCOVERY]["jwks_uri"] = url

    assert is_unavailable()
    assert issuer.fetched == [issuer.DISCOVERY]


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_a_discovery_document_of_another_issuer_is_refused(issuer, is_unavailable):
    issuer.answers[issuer.DISCOVERY]["issuer"] = issuer.url + "/"

    assert is_unavailable()


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
    assert fetching.is_safe(url) is is_safe


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_one_thread_of_a_process_fetches(issuer, is_unavailable, exchange):
    with fetching.turn:
        assert is_unavailable(high=3)
    assert issuer.fetched == []

    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_an_unknown_key_is_refused_while_another_issuer_is_asked(issuer, exchange, is_refused):
    assert exchange(issuer.token()).status_code == 201
    issuer.key_id = "unknown"

    with fetching.turn:
        assert is_refused(issuer.token(), "no such key")


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_a_slow_issuer_keeps_no_other_request_waiting(issuer, exchange, monkeypatch):
    """While a name does not resolve, whatever the bounds of a connection are."""
    monkeypatch.setattr(fetching, "SECONDS", 0.1)
    resolves = Event()

    def never(*_args, **_options):
        resolves.wait(5)
        raise OSError

    monkeypatch.setattr("socket.getaddrinfo", never)
    assert exchange(issuer.token()).status_code == 503
    pass_time()
    began = time.monotonic()
    assert exchange(issuer.token()).status_code == 503
    assert time.monotonic() - began < 0.1
    resolves.set()
    deadline = time.monotonic() + 5
    while fetching.turn.locked() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not fetching.turn.locked()


@pytest.mark.contract("31.10")
@pytest.mark.django_db(transaction=True)
def test_of_several_processes_one_fetches(issuer, agent):
    """Here threads, without the turn that those of one process take."""
    issuer.publisher(agent)
    row = Issuer.objects.create(url=issuer.url)
    barrier = Barrier(8)

    def may_fetch(_number):
        try:
            barrier.wait()
            return Issuer.objects.get(pk=row.pk).may_fetch()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(may_fetch, range(8))) == [False] * 7 + [True]
    assert not row.may_fetch()


@pytest.mark.contract("31.7", "31.10")
@pytest.mark.django_db(transaction=True)
def test_a_token_is_replayed_two_hundred_times(issuer, agent, anyone, rates):
    rates(exchange="1000/h", exchange_publisher="1000/h")
    issuer.publisher(agent)
    token = issuer.token()

    def replay(_number):
        try:
            response = type(anyone)().post(URL, {"token": token})
            return response.status_code, response.json().get("error")
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(replay, range(200)))

    assert [status for status, _ in answers].count(201) == 1
    others = {answer for answer in answers if answer[0] != 201}
    assert others <= {(401, REFUSED["error"]), (503, BUSY["error"])}
    assert agent.tokens.count() == 2
    assert issuer.fetched == BOTH
    assert Publisher.objects.get().last_used_at < timezone.now()
