"""The cached responses of a process: how many fit, and which are dropped when."""

from functools import partial

import pytest
from cachetools import LRUCache
from django.db import InterfaceError

from infrastructure.http_cache import store as cache
from infrastructure.http_cache import validators
from infrastructure.http_cache.responses import CachedResponse
from infrastructure.http_cache.store import cache_key, fresh_response, memory_of, store
from infrastructure.http_cache.validators import ALWAYS_FRESH, Validator
from tests.infrastructure.http_cache.requests import environ_of

pytestmark = pytest.mark.infrastructure

KIB = 1024


@pytest.fixture(autouse=True)
def stored(monkeypatch):
    """A cache of 100 KiB, for a server with one history and no database."""
    monkeypatch.setattr(validators, "history", lambda: "history")
    stored = LRUCache(100 * KIB, getsizeof=memory_of)
    monkeypatch.setattr(cache, "cached_responses", stored)
    return stored


def response_of(path, size=0, validator=ALWAYS_FRESH):
    return CachedResponse(cache_key(environ_of(path)), b"x" * size, {"ETag": '"a"'}, validator)


def paths(stored):
    return {path for *_, path, _ in stored}


def test_the_least_recently_used_are_dropped_until_a_new_one_fits(stored):
    for path in ("/a", "/b", "/c"):
        store(response_of(path, 30 * KIB))
    assert fresh_response(environ_of("/a")) is not None

    store(response_of("/d", 50 * KIB))

    assert paths(stored) == {"/a", "/d"}
    assert 80 * KIB < stored.currsize <= stored.maxsize


def test_one_that_is_larger_than_the_cache_is_not_stored(stored):
    store(response_of("/a"))
    store(response_of("/b", 100 * KIB))

    assert paths(stored) == {"/a"}


def test_a_new_one_takes_the_place_of_the_old_one(stored):
    store(response_of("/a", 60 * KIB))
    store(response_of("/a", 61 * KIB))

    assert len(fresh_response(environ_of("/a")).content) == 61 * KIB


def test_a_stale_one_is_dropped(stored):
    state = [1]
    store(response_of("/a", validator=Validator(lambda: [*state], [1], None)))
    assert fresh_response(environ_of("/a")) is not None

    state.append(2)

    assert fresh_response(environ_of("/a")) is None
    assert paths(stored) == set()


def test_one_that_cannot_be_checked_is_dropped(stored):
    def fail():
        raise InterfaceError

    store(response_of("/a", validator=Validator(fail, 1, None)))

    assert fresh_response(environ_of("/a")) is None
    assert paths(stored) == set()


@pytest.mark.parametrize(("method", "is_found"), [("GET", True), ("HEAD", True), ("POST", False)])
def test_it_answers_get_and_head(stored, method, is_found):
    store(response_of("/a"))

    response = fresh_response(environ_of("/a", REQUEST_METHOD=method))

    assert (response is not None) == is_found


@pytest.mark.parametrize(
    "other",
    [
        {"PATH_INFO": "/A"},
        {"QUERY_STRING": "x"},
        {"HTTP_HOST": "other"},
        {"wsgi.url_scheme": "https"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_key_is_the_url_that_the_client_asked_for(settings, other):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

    assert cache_key(environ_of("/a", **other)) != cache_key(environ_of("/a"))


def test_a_header_of_no_trusted_proxy_is_no_part_of_the_key(settings):
    settings.SECURE_PROXY_SSL_HEADER = None
    forwarded = environ_of("/a", HTTP_X_FORWARDED_PROTO="https", HTTP_ACCEPT="text/html")

    assert cache_key(forwarded) == cache_key(environ_of("/a"))


def test_memory_counts_the_content_and_what_the_validator_has_seen():
    base = memory_of(response_of("/a"))
    text = "s" * KIB

    assert memory_of(response_of("/a", 5 * KIB)) == base + 5 * KIB
    for seen in (text, [text], ({"a": text},)):
        validator = Validator(ALWAYS_FRESH.check, seen, None)
        assert KIB < memory_of(response_of("/a", validator=validator)) - base < KIB + 700


def test_memory_counts_the_arguments_of_a_check():
    base = memory_of(response_of("/a"))
    text = "s" * KIB

    for check in (partial(len, text), partial(dict, a=text), partial(partial(len), [text])):
        validator = Validator(check, ALWAYS_FRESH.seen, None)
        assert KIB < memory_of(response_of("/a", validator=validator)) - base < KIB + 1000


def test_memory_counts_each_object_once_and_no_function():
    text = "s" * KIB
    once, twice = (
        memory_of(response_of("/a", validator=Validator(len, seen, None)))
        for seen in ([text, 0], [text, text])
    )

    assert twice < once
    assert once - memory_of(response_of("/a", validator=Validator(memory_of, [text, 0], None))) == 0
