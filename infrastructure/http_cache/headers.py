"""Conditional requests (RFC 9110, 13), and what other caches may store."""

from django.conf import settings
from django.utils.http import parse_etags

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
