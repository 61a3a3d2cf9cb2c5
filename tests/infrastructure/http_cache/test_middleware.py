"""The middleware stores responses that have a validator, unless they are private."""

import pytest
from django.http import HttpResponse

from infrastructure.http_cache import validators
from infrastructure.http_cache.headers import PUBLIC
from infrastructure.http_cache.middleware import ResponseCacheMiddleware
from infrastructure.http_cache.validators import ALWAYS_FRESH

pytestmark = pytest.mark.infrastructure


@pytest.mark.parametrize(
    ("cache_control", "number", "seen"),
    [(PUBLIC, 1, [None]), ("private, no-cache", 2, [ALWAYS_FRESH])],
)
def test_a_private_response_is_never_stored_and_no_other_twice(
    rf, monkeypatch, cache_control, number, seen
):
    monkeypatch.setattr(validators, "history", lambda: "history")
    calls = []

    def view(request):
        calls.append(request)
        response = HttpResponse(b"{}", headers={"ETag": '"a"', "Cache-Control": cache_control})
        response.validators = [ALWAYS_FRESH]
        return response

    _, again = (ResponseCacheMiddleware(view)(rf.get("/a")) for _ in range(2))

    assert (again.content, again.validators) == (b"{}", seen)
    assert len(calls) == number
