from infrastructure.http_cache.responses import CachedResponse
from infrastructure.http_cache.store import fresh_response, store
from infrastructure.http_cache.validators import Validator


class ResponseCacheMiddleware:
    """Caches responses for which a view sets `validators`, one per part, none of them None.

    A cached response has passed all middleware inside this one, and skips it. The two outside,
    PageParametersMiddleware and ConditionalMiddleware, have counterparts in `to_wsgi` and in
    marketplace/application.py, which looks into the cache before it calls Django. The lookup here
    is for requests that MCP makes in this process. Private responses are never stored.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        cached = fresh_response(request.META)
        if cached is not None:
            return cached.to_django()
        response = self.get_response(request)
        # Django decodes the path. Only an ASCII path stays as the next request spells it.
        validator = Validator.of_all(getattr(response, "validators", [None]))
        is_public = "private" not in response.headers.get("Cache-Control", "")
        if validator is not None and is_public and request.path.isascii():
            store(CachedResponse.of(response, validator, request.META))
        return response
