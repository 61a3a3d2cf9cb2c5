"""The cached responses of this process. The least recently used are dropped first."""

from contextlib import suppress
from functools import partial
from sys import getsizeof
from threading import Lock
from types import MethodType

from cachetools import LRUCache
from django.conf import settings
from django.db import Error

from infrastructure import metrics
from infrastructure.http_cache.validators import Validator

# Bytes for the LRUCache's own record of a response, and for header values that no other response
# has.
RECORDS = 320


def memory_of(response):
    """Bytes of memory that a cached response takes, measured, counting each object once.

    Classes, functions and most header values are shared by all responses.
    """
    total = RECORDS + getsizeof(response) + getsizeof(response.headers)
    counted, parts = set(), [response.key, response.content, response.validator]
    for part in parts:
        if id(part) in counted or (callable(part) and not isinstance(part, partial | MethodType)):
            continue
        counted.add(id(part))
        total += getsizeof(part)
        if isinstance(part, Validator):
            parts += part.check, part.seen
        elif isinstance(part, partial):
            parts += part.func, part.args, part.keywords
        elif isinstance(part, dict):
            parts += *part.keys(), *part.values()
        elif isinstance(part, tuple | list):
            parts += part
    return total


cached_responses = LRUCache(settings.CACHE_BYTES, getsizeof=memory_of)
lock = Lock()


def cache_key(environ):
    """The URL of a request, the only thing that a public response depends on.

    It includes host and scheme, because the links of a list do. With PUBLIC_URL they do not, but
    a forbidden host must not get a response that an allowed one stored.
    """
    header, _ = settings.SECURE_PROXY_SSL_HEADER or (None, None)
    scheme, forwarded = environ["wsgi.url_scheme"], environ.get(header)
    host, path, query = environ.get("HTTP_HOST"), environ["PATH_INFO"], environ["QUERY_STRING"]
    return scheme, forwarded, host, path, query


def fresh_response(environ):
    """The cached response to this request if it is fresh; a stale one is dropped."""
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return None
    key = cache_key(environ)
    with lock:
        response = cached_responses.get(key)
    if response is None:
        return None
    if is_fresh(response):
        metrics.cache_hits.inc()
        return response
    with lock:
        cached_responses.pop(key, None)
    return None


def is_fresh(response):
    try:
        return response.validator.is_fresh()
    except Error:
        return False  # The view meets the same error, and responds with it.


def store(response):
    # A response that is larger than the whole cache is not stored.
    with lock, suppress(ValueError):
        cached_responses[response.key] = response
    metrics.cache_misses.inc()
    metrics.cache_bytes.set(cached_responses.currsize)
