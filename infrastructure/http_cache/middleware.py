from infrastructure.http_cache.responses import CachedResponse
from infrastructure.http_cache.store import fresh_response, store
from infrastructure.http_cache.validators import Validator


class ResponseCacheMiddleware:
    """Caches the responses for which a view sets `validators`, one for each part; none is None.

    Before all other middleware, so that a cached response has passed them once and needs none of
    them again. That is why marketplace/wsgi.py may look into the cache before it calls Django; here
    the requests are looked up that MCP makes within the process. What is private is never stored.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        cached = fresh_response(request.META)
        if cached is not None:
            return cached.to_django()
        response = self.get_response(request)
        # Django decodes the path. Only in ASCII does it stay as the next request spells it.
        validator = Validator.of_all(getattr(response, "validators", [None]))
        is_public = "private" not in response.headers.get("Cache-Control", "")
        if validator is not None and is_public and request.path.isascii():
            store(CachedResponse.of(response, validator, request.META))
        return response
