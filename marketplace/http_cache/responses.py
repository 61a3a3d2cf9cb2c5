"""Conditional requests (RFC 9110, 13), what caches may store, and what the server's own stores."""

from dataclasses import dataclass
from hashlib import blake2b

from django.conf import settings
from django.http import HttpResponse, HttpResponseNotModified
from django.utils.encoding import force_bytes
from django.utils.http import parse_etags
from rest_framework.response import Response

from marketplace.http_cache.store import cache_key
from marketplace.http_cache.validators import Validator

# Raise it when the same rows are shown in another shape, because a client may hold a response of
# the old one. tests/api/test_etags.py notices a change.
REPRESENTATION = 4
# A response that is the same for everyone: stored anywhere, and revalidated for every request.
PUBLIC = "public, no-cache"


def cache_control(value, environ):
    """The Cache-Control with which a response of this one is sent: edges may serve PUBLIC ones.

    A request with a token gets what is true now, and no edge stores what an agent was told. The
    URL decides all else, so there is nothing to name in Vary: what depends on more is not PUBLIC.
    """
    seconds = settings.EDGE_SECONDS
    if value != PUBLIC or not seconds or "HTTP_AUTHORIZATION" in environ:
        return value
    # Not no-cache: nginx does not store that. max-age=0 is for the client's own cache.
    return f"public, max-age=0, s-maxage={seconds}, stale-while-revalidate={10 * seconds}"


def is_not_modified(environ, etag):
    """Whether `If-None-Match` names this ETag: the response is then 304 without a body."""
    header = environ.get("HTTP_IF_NONE_MATCH")
    etags = {tag.removeprefix("W/") for tag in parse_etags(header)} if header else set()
    return etag in etags or "*" in etags


def etag_of(text):
    return f'"{blake2b(force_bytes(text), digest_size=16).hexdigest()}"'


def cached(request, read, serializer, *, many=False, respond=Response):
    """DRF's response to a Read, which the middleware caches; a 304 where the client has it."""

    def build():
        context = {"request": request}
        return respond(serializer(read.value, many=many, context=context).data)

    version = read.validator.seen if read.version is None else read.version
    return conditional_response(request, version, read.validator, build)


def public_response(content, *validators, content_type):
    """A 200 for everyone, with an ETag of its text; the middleware caches it if all can be."""
    headers = {"ETag": etag_of(content), "Cache-Control": PUBLIC}
    response = HttpResponse(content, content_type=content_type, headers=headers)
    response.validator = Validator.of_all(validators)
    return response


def conditional_response(request, version, validator, build):
    """The response that `build` makes of the rows of this `version`.

    A 304, not built, where the client has it. With a validator the middleware caches it.
    """
    history = validator and validator.history
    release = settings.VERSION, REPRESENTATION, settings.PUBLIC_URL
    etag = etag_of(repr((*release, history, cache_key(request.META), version)))
    if is_not_modified(request.META, etag):
        return HttpResponseNotModified(headers={"ETag": etag})
    response = build()
    response["ETag"] = etag
    response.validator = validator
    return response


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """The 200 of a GET; 304 to a client that has it already."""

    key: tuple
    content: bytes
    headers: dict
    validator: Validator | None

    @classmethod
    def of(cls, response, environ):
        # orjson leaves kilobytes behind the text of its bytes; a copy has none. `bytes(content)`
        # would be the same object.
        content = bytes(memoryview(response.content))
        return cls(cache_key(environ), content, dict(response.headers), response.validator)

    def to_django(self):
        """The 200, of which the middleware makes what the request asks for."""
        response = HttpResponse(self.content, headers=self.headers)
        response.validator = None  # it is stored already
        return response

    def to_wsgi(self, environ, start_response):
        """The whole response to a request, without Django (PEP 3333)."""
        if is_not_modified(environ, self.headers["ETag"]):
            start_response("304 Not Modified", [*self.headers_without_content(environ).items()])
            return []
        start_response("200 OK", [*self.headers_for(environ).items()])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.content]

    def headers_for(self, environ):
        value = cache_control(self.headers["Cache-Control"], environ)
        return {**self.headers, "Cache-Control": value}

    def headers_without_content(self, environ):
        return {
            name: value
            for name, value in self.headers_for(environ).items()
            if name not in {"Content-Type", "Content-Length"}
        }
