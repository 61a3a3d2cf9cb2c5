"""The middleware stores responses that have a validator."""

import pytest
from django.http import HttpResponse

from infrastructure.http_cache import validators
from infrastructure.http_cache.headers import PUBLIC
from infrastructure.http_cache.middleware import ResponseCacheMiddleware
from infrastructure.http_cache.validators import ALWAYS_FRESH

pytestmark = pytest.mark.infrastructure


@pytest.fixture
def number_of_calls(rf, monkeypatch):
    """How often two requests to a path call a view that sets this validator."""

    def number_of_calls(path, validator, cache_control=PUBLIC):
        calls = []

        def view(request):
            calls.append(request)
            response = HttpResponse(b"{}", headers={"ETag": '"a"', "Cache-Control": cache_control})
            if validator is not None:
                response.validators = [validator]
            return response

        for _ in range(2):
            assert ResponseCacheMiddleware(view)(rf.get(path)).content == b"{}"
        return len(calls)

    monkeypatch.setattr(validators, "history", lambda: "history")
    return number_of_calls


@pytest.mark.parametrize(
    ("path", "validator", "number"),
    [("/a", ALWAYS_FRESH, 1), ("/a", None, 2), ("/caf%C3%A9", ALWAYS_FRESH, 2)],
    ids=["with a validator", "without one", "a path beyond ASCII"],
)
def test_a_response_is_stored(number_of_calls, path, validator, number):
    assert number_of_calls(path, validator) == number


def test_a_private_response_is_never_stored(number_of_calls):
    assert number_of_calls("/a", ALWAYS_FRESH, "private, no-cache") == 2
