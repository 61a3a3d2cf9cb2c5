"""Responses with an ETag of the rows they show, which a cache may keep with their validator."""

from hashlib import blake2b

from django.conf import settings
from django.http import HttpResponse, HttpResponseNotModified
from django.utils.encoding import force_bytes
from rest_framework.response import Response

from infrastructure.http_cache.headers import PUBLIC, is_not_modified
from infrastructure.http_cache.store import cache_key

# Raise it when the same rows are shown in another shape, because clients may hold a response in the
# old one. tests/api/test_etags.py notices a change.
REPRESENTATION = 6


def etag_of(text):
    return f'"{blake2b(force_bytes(text), digest_size=16).hexdigest()}"'


def cacheable_response(request, read, serializer, *, many=False, respond=Response):
    """DRF's response to a Read, which the middleware caches; a 304 if the client has it."""

    def build():
        context = {"request": request}
        return respond(serializer(read.value, many=many, context=context).data)

    version = read.validator.seen if read.version is None else read.version
    return conditional_response(request, version, read.validator, build)


def public_response(content, *validators, content_type):
    """A 200 for everyone, with an ETag of its text. It is cached if every part has a validator.

    Without parts, it changes only with a release or the configuration.
    """
    headers = {"ETag": etag_of(content), "Cache-Control": PUBLIC}
    response = HttpResponse(content, content_type=content_type, headers=headers)
    response.validators = validators
    return response


def conditional_response(request, version, validator, build):
    """The response that `build` makes of the rows of this `version`.

    If the client has it, a 304 that is never built. With a validator, the middleware caches it.
    """
    history = validator and validator.history
    release = settings.VERSION, REPRESENTATION, settings.PUBLIC_URL
    etag = etag_of(repr((*release, history, cache_key(request.META), version)))
    if is_not_modified(request.META, etag):
        return HttpResponseNotModified(headers={"ETag": etag})
    response = build()
    response["ETag"] = etag
    response.validators = [validator]
    return response
