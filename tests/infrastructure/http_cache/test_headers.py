"""Conditional requests, and what other caches may store."""

import pytest

from infrastructure.http_cache.headers import PUBLIC, cache_control, is_not_modified

EDGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
TOKEN = {"HTTP_AUTHORIZATION": "Bearer x"}


@pytest.mark.parametrize(
    ("seconds", "value", "environ", "sent"),
    [
        (0, PUBLIC, {}, PUBLIC),
        (60, PUBLIC, {}, EDGE),
        (60, PUBLIC, TOKEN, PUBLIC),
        (60, "no-store", {}, "no-store"),
        (60, "private, no-cache", {}, "private, no-cache"),
    ],
)
def test_edges_may_keep_public_responses_without_a_token(settings, seconds, value, environ, sent):
    settings.EDGE_SECONDS = seconds

    assert cache_control(value, environ) == sent


@pytest.mark.parametrize(
    ("header", "is_same"),
    [
        (None, False),
        ("", False),
        ('"a"', True),
        ('W/"a"', True),
        ('"b", W/"a"', True),
        ('"b"', False),
        ('"A"', False),
        ("a", False),
        ("*", True),
    ],
)
def test_if_none_match_names_the_etag(header, is_same):
    environ = {} if header is None else {"HTTP_IF_NONE_MATCH": header}

    assert is_not_modified(environ, '"a"') == is_same


def test_a_weak_etag_of_ours_would_match_nothing():
    """The prefix is dropped only from the request's tags, because all of ours are strong."""
    assert not is_not_modified({"HTTP_IF_NONE_MATCH": 'W/"a"'}, 'W/"a"')
