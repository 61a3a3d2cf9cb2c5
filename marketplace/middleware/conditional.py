from http import HTTPStatus

from django.http import HttpResponseNotModified

from infrastructure.http_cache.headers import cache_control, is_not_modified


class ConditionalMiddleware:
    """A 304 if the client already has a public response, and the headers for caches.

    Outermost, because each client gets its own headers with a response that is cached for all.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if hasattr(response, "validators"):
            if is_not_modified(request.META, response.headers["ETag"]):
                response = HttpResponseNotModified(headers=response.headers)
        elif response.status_code != HTTPStatus.NOT_MODIFIED:
            return response
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # CommonMiddleware sets 0, but the header states the length of the 200 (RFC 9110, 8.6).
            response.headers.pop("Content-Length", None)
        if "Cache-Control" in response.headers:
            value = response.headers["Cache-Control"]
            response.headers["Cache-Control"] = cache_control(value, request.META)
        return response
