"""Conditional requests (RFC 9110, 13), and what other caches may store."""

from django.conf import settings
from django.utils.http import parse_etags

# For a response that is the same for everyone: caches may store it and must revalidate it.
PUBLIC = "public, no-cache"


def cache_control(value, environ):
    """The Cache-Control that the client gets. PUBLIC gets the lifetime at edges, if there is one.

    A request with a token gets the current state, and no edge stores an agent's response. The URL
    decides everything else, so Vary names nothing: a response that depends on more is not PUBLIC.
    """
    seconds = settings.EDGE_SECONDS
    if value != PUBLIC or not seconds or "HTTP_AUTHORIZATION" in environ:
        return value
    # Not no-cache, which nginx does not store. max-age=0 is for the client's own cache.
    return f"public, max-age=0, s-maxage={seconds}, stale-while-revalidate={10 * seconds}"


def is_not_modified(environ, etag):
    """Whether `If-None-Match` names this ETag, so that the response is a 304 without a body."""
    header = environ.get("HTTP_IF_NONE_MATCH")
    etags = {tag.removeprefix("W/") for tag in parse_etags(header)} if header else set()
    return etag in etags or "*" in etags
