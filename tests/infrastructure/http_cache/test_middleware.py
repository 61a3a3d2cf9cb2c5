"""The middleware stores responses that have a validator, unless they are private."""

import pytest
from django.http import HttpResponse

from infrastructure.http_cache import validators
from infrastructure.http_cache.headers import PUBLIC
from infrastructure.http_cache.middleware import ResponseCacheMiddleware
from infrastructure.http_cache.validators import ALWAYS_FRESH

pytestmark = pytest.mark.infrastructure


@pytest.mark.parametrize(("cache_control", "number"), [(PUBLIC, 1), ("private, no-cache", 2)])
def test_a_private_response_is_never_stored(rf, monkeypatch, cache_control, number):
    monkeypatch.setattr(validators, "history", lambda: "history")
    calls = []

    def view(request):
        calls.append(request)
        response = HttpResponse(b"{}", headers={"ETag": '"a"', "Cache-Control": cache_control})
        response.validators = [ALWAYS_FRESH]
        return response

    for _ in range(2):
        assert ResponseCacheMiddleware(view)(rf.get("/a")).content == b"{}"
    assert len(calls) == number
