"""A cached response is sent without calling Django, and equals the one that Django sends."""

import gc
import io
import tracemalloc

import pytest
from cachetools import LRUCache
from django.core.signals import request_started
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Skill
from infrastructure.db.compiled_queries import compiled_queries
from infrastructure.http_cache.store import cached_responses, memory_of
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = [pytest.mark.infrastructure, pytest.mark.django_db(transaction=True)]

PATHS = ["/api/v1/skills", "/api/v1/skills/pdf", "/api/v1/personas", "/skills/pdf", "/robots.txt"]


@pytest.fixture
def ask(monkeypatch, catalogue):
    """`ask(path)` like gunicorn: (status, headers, body, whether Django was called)."""
    # The import sets the timeouts and the name of a web process.
    monkeypatch.setenv("DATABASE_TIMEOUTS", "none")
    monkeypatch.setenv("PGAPPNAME", "tests")
    from marketplace.wsgi import application  # noqa: PLC0415

    django = []

    def note_request(**_):
        django.append(True)

    request_started.connect(note_request)

    def ask(path, method="GET", query="", **headers):
        django.clear()
        begun = []
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_X_REQUEST_ID": "a-test",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(),
            **headers,
        }
        response = application(environ, lambda *begin: begun.extend(begin))
        body = b"".join(response)
        getattr(response, "close", lambda: None)()
        status, headers = begun
        return status, dict(headers), body, bool(django)

    yield ask
    request_started.disconnect(note_request)


@pytest.fixture
def catalogue(transactional_db):
    skill = SkillFactory(slug="pdf")
    persona = PersonaFactory(title="Librarian", skills=[skill])
    review(AgentFactory(), persona, 5)


@pytest.mark.parametrize("path", PATHS)
def test_it_equals_the_response_of_django(ask, path):
    *first, was_called = ask(path)

    assert was_called
    for _ in range(2):
        assert ask(path) == (*first, False)
    cached_responses.clear()
    assert ask(path) == (*first, True)


@pytest.mark.parametrize("path", PATHS)
def test_a_304_equals_that_of_django(ask, path):
    etag = ask(path)[1]["ETag"]
    cached = ask(path, HTTP_IF_NONE_MATCH=f'"x", W/{etag}')
    cached_responses.clear()
    uncached = ask(path, HTTP_IF_NONE_MATCH=etag)

    assert cached[0] == "304 Not Modified"
    assert cached == (*uncached[:3], False)
    assert cached[2] == b""
    assert not {"Content-Length", "Content-Type"} & cached[1].keys()
    assert ask(path, HTTP_IF_NONE_MATCH='"x"')[0] == "200 OK"


@pytest.mark.contract("8.19")
@pytest.mark.parametrize("path", PATHS[:4])
def test_a_changed_entry_is_rendered_again(ask, path):
    before = ask(path)
    Skill.objects.update(title="Another title")
    if "personas" in path:
        PersonaFactory()

    after = ask(path)

    assert after[3]
    assert after[2] != before[2]
    assert ask(path) == (*after[:3], False)


@pytest.mark.parametrize(
    "other",
    [
        {"method": "POST"},
        {"query": "limit=1"},
        {"HTTP_HOST": "127.0.0.1"},
        {"wsgi.url_scheme": "https"},
        {"path": "/api/v1/skills/"},
    ],
)
def test_a_different_request_does_not_get_it(ask, other):
    ask("/api/v1/skills")

    assert ask(**{"path": "/api/v1/skills"} | other)[3]


@pytest.mark.parametrize("trusted", [False, True])
def test_https_at_a_trusted_proxy_gets_another_response(ask, settings, trusted):
    header = "HTTP_X_FORWARDED_PROTO"
    settings.SECURE_PROXY_SSL_HEADER = (header, "https") if trusted else None
    SkillFactory.create_batch(2)
    ask("/api/v1/skills", query="limit=1")

    _, _, body, was_called = ask("/api/v1/skills", query="limit=1", **{header: "https"})

    assert was_called == trusted
    assert (b'"next":"https://localhost/' in body) == trusted


def test_the_cache_key_is_the_path_as_it_was_sent(monkeypatch, ask):
    # No response to a non-ASCII path is cached; this one is taken for such a response.
    monkeypatch.setattr("catalogue.reads.is_slug", str.isalnum)
    SkillFactory(slug="caf\u00e9")
    path = "/api/v1/skills/caf\u00e9".encode().decode("latin-1")

    assert ask(path)[0] == "200 OK"
    assert ask("/api/v1/skills/caf\u00e9")[0] == "404 Not Found"


@pytest.mark.contract("1.3")
def test_head_gets_its_headers_and_no_body(ask):
    first = ask("/api/v1/skills")

    assert ask("/api/v1/skills", "HEAD") == (*first[:2], b"", False)
    cached_responses.clear()
    assert ask("/api/v1/skills", "HEAD") == (*first[:2], b"", True)


@pytest.mark.parametrize("path", PATHS)
def test_a_response_that_is_cached_for_an_edge_is_none_for_a_token(ask, settings, path):
    settings.EDGE_SECONDS = 60
    of_the_edge = ask(path)
    etag = of_the_edge[1]["ETag"]

    for headers in ({}, {"HTTP_IF_NONE_MATCH": etag}):
        cached = ask(path, **headers)
        assert cached[1]["Cache-Control"] == of_the_edge[1]["Cache-Control"]
        with_token = ask(path, HTTP_AUTHORIZATION="Bearer none", **headers)
        assert with_token[1]["Cache-Control"] == "public, no-cache"
        assert (cached[0], cached[3]) == (with_token[0], with_token[3])


def test_it_costs_one_statement(ask):
    ask("/api/v1/skills/pdf")

    with CaptureQueriesContext(connection) as captured:
        assert not ask("/api/v1/skills/pdf")[3]

    assert len(captured) == 1


def test_a_changed_entry_is_validated_once(ask):
    ask("/api/v1/skills/pdf")
    Skill.objects.update(title="Another title")

    with CaptureQueriesContext(connection) as captured:
        assert ask("/api/v1/skills/pdf")[3]

    assert len(captured) == 2  # the validator, and the new response


def test_django_handles_an_unreachable_database(ask, monkeypatch):
    ask("/api/v1/skills")
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")

    status, headers, body, was_called = ask("/api/v1/skills")

    assert was_called
    assert status.startswith("503 ")
    assert headers["Retry-After"]
    assert b"error" in body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/api/v1/skills/pdf", ""),
        ("/api/v1/personas", "skill=pdf"),
        ("/api/v1/skills", "q=pdf"),
        ("/api/v1/skills", "q=pdf&sort=name"),
        ("/api/v1/personas", "q=librarian&minRating=4"),
        ("/skills/pdf", ""),
    ],
)
def test_a_full_cache_holds_what_it_says(ask, monkeypatch, path, query):
    full = LRUCache(2**17, getsizeof=memory_of)
    monkeypatch.setattr("infrastructure.http_cache.store.cached_responses", full)
    ask(path, query=query)
    tracemalloc.start(1)
    port = 0
    while full.currsize < full.maxsize - 16 * 1024 or port < 2 * len(full):
        port += 1
        # Each request has its own strings, as with gunicorn.
        own_path, own_query = path.encode().decode(), query.encode().decode()
        ask(own_path, query=own_query, HTTP_HOST=f"localhost:{port}", SERVER_PORT=str(port))
    said = full.currsize
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    full.clear()
    gc.collect()
    held -= tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert 0.8 < held / said < 1.08


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/api/v1/skills", ""),
        ("/api/v1/skills", "q=pdf&sort=name"),
        ("/api/v1/personas", "q=librarian&minRating=4"),
    ],
)
def test_a_query_that_is_not_compiled_is_rendered_again(ask, path, query):
    first = ask(path, query=query)
    assert ask(path, query=query) == (*first[:3], False)
    compiled_queries.clear()

    assert ask(path, query=query) == (*first[:3], True)
    assert ask(path, query=query) == (*first[:3], False)
