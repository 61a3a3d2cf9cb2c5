"""Conditional requests (RFC 9110, 13), and the response that the cache stores."""

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseNotModified
from django.utils.crypto import salted_hmac
from django.utils.http import parse_etags

from marketplace.http_cache.validators import Validator


def is_not_modified(environ, etag):
    """Whether `If-None-Match` names this ETag: the response is then 304 without a body."""
    header = environ.get("HTTP_IF_NONE_MATCH")
    etags = {tag.removeprefix("W/") for tag in parse_etags(header)} if header else set()
    return etag in etags or "*" in etags


def etag_of(text):
    return f'"{salted_hmac("marketplace.etag", text).hexdigest()[:32]}"'


def public_response(content, validator, *, content_type):
    """A 200 for everyone, with an ETag of its text; the middleware caches it."""
    headers = {"ETag": etag_of(content), "Cache-Control": "public, no-cache"}
    response = HttpResponse(content, content_type=content_type, headers=headers)
    response.validator = validator
    return response


def conditional_response(request, state, validator, build):
    """The response that `build` makes of the `state`; a 304, not built, where the client has it."""
    etag = etag_of(state)
    if is_not_modified(request.META, etag):
        return HttpResponseNotModified(headers={"ETag": etag})
    response = build()
    response["ETag"] = etag
    response.validator = validator
    return response


@dataclass(frozen=True)
class CachedResponse:
    """The 200 of a GET; 304 to a client that has it already."""

    content: bytes
    headers: dict
    validator: Validator | None

    @property
    def weight(self):
        return len(self.content) + self.validator.weight

    def to_django(self, environ):
        if is_not_modified(environ, self.headers["ETag"]):
            return HttpResponseNotModified(headers=self.headers_without_content)
        return HttpResponse(self.content, headers=self.headers)

    def to_wsgi(self, environ, start_response):
        """The same without Django (PEP 3333)."""
        if is_not_modified(environ, self.headers["ETag"]):
            start_response("304 Not Modified", [*self.headers_without_content.items()])
            return []
        start_response("200 OK", [*self.headers.items()])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.content]

    @property
    def headers_without_content(self):
        return {
            name: value
            for name, value in self.headers.items()
            if name not in {"Content-Type", "Content-Length"}
        }
