"""A cached response is sent as a 200, a 304, or without its body."""

import pytest
from django.http import HttpResponse

from infrastructure.http_cache.headers import PUBLIC
from infrastructure.http_cache.responses import CachedResponse
from infrastructure.http_cache.validators import ALWAYS_FRESH
from tests.infrastructure.http_cache.requests import environ_of

pytestmark = pytest.mark.infrastructure

HEADERS = {
    "Content-Type": "application/json",
    "ETag": '"a"',
    "Cache-Control": PUBLIC,
    "Content-Length": "2",
}


@pytest.fixture
def cached():
    response = HttpResponse(b"{}", headers=HEADERS)
    return CachedResponse.of(response, ALWAYS_FRESH, environ_of("/x"))


def sent(cached, **environ):
    """`(status, headers, body)` to a request."""
    begun = []
    body = cached.to_wsgi(environ_of("/x", **environ), lambda *begin: begun.extend(begin))
    status, headers = begun
    return status, dict(headers), b"".join(body)


def test_it_is_sent_whole(cached):
    assert sent(cached) == ("200 OK", HEADERS, b"{}")


def test_head_has_the_headers_and_no_body(cached):
    assert sent(cached, REQUEST_METHOD="HEAD") == ("200 OK", HEADERS, b"")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_304_has_no_body_and_no_header_of_one(cached, method):
    response = sent(cached, REQUEST_METHOD=method, HTTP_IF_NONE_MATCH='"a"')

    assert response == ("304 Not Modified", {"ETag": '"a"', "Cache-Control": PUBLIC}, b"")


def test_another_etag_is_no_match(cached):
    assert sent(cached, HTTP_IF_NONE_MATCH='"b"')[0] == "200 OK"


@pytest.mark.parametrize("headers", [{}, {"HTTP_IF_NONE_MATCH": '"a"'}])
def test_each_request_has_its_own_cache_control(cached, settings, headers):
    settings.EDGE_SECONDS = 60
    _, of_the_edge, _ = sent(cached, **headers)
    _, of_an_agent, _ = sent(cached, **headers, HTTP_AUTHORIZATION="Bearer x")

    assert "s-maxage=60" in of_the_edge["Cache-Control"]
    assert of_an_agent["Cache-Control"] == PUBLIC
    assert cached.headers == HEADERS


def test_for_the_middleware_it_is_a_response_that_is_not_stored_again(cached):
    response = cached.to_django()

    assert (response.status_code, response.content) == (200, b"{}")
    assert dict(response.headers) == HEADERS
    assert response.validators == [None]


def test_its_bytes_are_a_copy(cached):
    """The bytes of a response may be the beginning of a larger block of memory."""
    content = b"text"
    response = HttpResponse(content, headers=HEADERS)

    kept = CachedResponse.of(response, ALWAYS_FRESH, environ_of("/x")).content

    assert kept == content
    assert kept is not response.content
