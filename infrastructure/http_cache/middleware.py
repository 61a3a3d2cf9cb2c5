from http import HTTPStatus

from django.http import HttpResponseNotModified

from infrastructure.http_cache.headers import cache_control, is_not_modified
from infrastructure.http_cache.responses import CachedResponse
from infrastructure.http_cache.store import fresh_response, store


class ResponseCacheMiddleware:
    """Caches the responses for which a view sets a `validator`.

    Outermost, so that a cached response has passed all other middleware once and needs none of it
    again. That is why marketplace/wsgi.py may look into the cache before it calls Django; here the
    requests are looked up that MCP makes within the process.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        cached = fresh_response(request.META)
        response = self.get_response(request) if cached is None else cached.to_django()
        if hasattr(response, "validator"):
            # Django decodes the path. Only in ASCII does it stay as the next request spells it.
            if response.validator and request.path.isascii():
                store(CachedResponse.of(response, request.META))
            if is_not_modified(request.META, response.headers["ETag"]):
                response = HttpResponseNotModified(headers=response.headers)
        elif response.status_code != HTTPStatus.NOT_MODIFIED:
            return response
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # CommonMiddleware sets 0, but the header tells the length of the 200 (RFC 9110, 8.6).
            response.headers.pop("Content-Length", None)
        if "Cache-Control" in response.headers:
            value = response.headers["Cache-Control"]
            response.headers["Cache-Control"] = cache_control(value, request.META)
        return response
