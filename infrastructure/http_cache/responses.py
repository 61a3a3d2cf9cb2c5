"""The entries of this process's cache."""

from dataclasses import dataclass

from django.http import HttpResponse

from infrastructure.http_cache.headers import cache_control, is_not_modified
from infrastructure.http_cache.store import cache_key
from infrastructure.http_cache.validators import Validator


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """The 200 of a GET; it answers 304 to a client that already has it."""

    key: tuple
    content: bytes
    headers: dict
    validator: Validator

    @classmethod
    def of(cls, response, validator, environ):
        # orjson's bytes take kilobytes more than their text. A copy does not; `bytes(content)`
        # would be the same object.
        content = bytes(memoryview(response.content))
        return cls(cache_key(environ), content, dict(response.headers), validator)

    def to_django(self):
        """The 200, from which the middleware makes the response to this request."""
        response = HttpResponse(self.content, headers=self.headers)
        response.validators = [None]  # already stored
        return response

    def to_wsgi(self, environ, start_response):
        """The whole response to a request, without Django (PEP 3333)."""
        lifetime = cache_control(self.headers["Cache-Control"], environ)
        headers = {**self.headers, "Cache-Control": lifetime}
        if is_not_modified(environ, self.headers["ETag"]):
            for name in ("Content-Type", "Content-Length"):
                headers.pop(name, None)
            start_response("304 Not Modified", [*headers.items()])
            return []
        start_response("200 OK", [*headers.items()])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.content]
