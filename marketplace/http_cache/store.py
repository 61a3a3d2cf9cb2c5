"""Answers that are given again for as long as they are true.

Each process keeps the catalogue answers that it has computed. Nothing expires and nobody announces
changes: before an answer is given again, one small statement asks the database for the versions of
what it shows. So what was committed anywhere, an install included, is in every answer after it.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from threading import Lock
from typing import Any

from cachetools import LRUCache
from django.conf import settings
from django.db import Error
from django.http import HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

MOST_BYTES = 16 * 1024 * 1024  # in each process


@dataclass(frozen=True)
class Evidence:
    """What an answer rests on: it is true for as long as `check()` gives what was `seen`."""

    check: Callable[[], Any]
    seen: Any
    weight: int = 8 * 1024  # bytes that it takes to keep, about; the answer's headers included

    def holds(self):
        return self.check() == self.seen

    @classmethod
    def of(cls, check):
        """That what the check gives now stays; to be had before what rests on it is computed.

        None where it gives None: it can't tell.
        """
        seen = check()
        return None if seen is None else cls(check, seen)

    @classmethod
    def of_all(cls, parts):
        """What an answer rests on that shows several things; None where one has no evidence."""
        if None in parts:
            return None
        return cls(
            check=lambda: [part.check() for part in parts],
            seen=[part.seen for part in parts],
            weight=sum(part.weight for part in parts),
        )


# Of what changes with a release or the configuration alone: a process has one of each.
UNCHANGING = Evidence(check=lambda: True, seen=True)


def public_answer(content, evidence, *, content_type):
    """A text for everybody, with the ETag of what it says; KnownAnswers gives it again."""
    etag = f'"{sha256(content.encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, no-cache"}
    response = HttpResponse(content, content_type=content_type, headers=headers)
    response.evidence = evidence
    return response


def what_is_asked(environ):
    """All of a request that an answer for everybody depends on: its whole URL.

    The host and the scheme, of which a trusted proxy knows better, stand in the links of a list.
    """
    believed, _ = settings.SECURE_PROXY_SSL_HEADER or (None, None)
    scheme, forwarded = environ["wsgi.url_scheme"], environ.get(believed)
    host, path, query = environ.get("HTTP_HOST"), environ["PATH_INFO"], environ["QUERY_STRING"]
    return scheme, forwarded, host, path, query


def is_known(environ, etag):
    """Whether the client has this very answer already (`If-None-Match`)."""
    given = environ.get("HTTP_IF_NONE_MATCH")
    known = {tag.removeprefix("W/") for tag in parse_etags(given)} if given else set()
    return etag in known or "*" in known


@dataclass(frozen=True)
class Answer:
    """What 200 says to a GET, and what 304 says instead where the client has it already."""

    content: bytes
    headers: dict
    evidence: Evidence | None

    def response(self, environ):
        if is_known(environ, self.headers["ETag"]):
            return HttpResponseNotModified(headers=self.headers_without_content)
        return HttpResponse(self.content, headers=self.headers)

    def give(self, environ, start_response):
        """The same, where no Django stands between (PEP 3333)."""
        if is_known(environ, self.headers["ETag"]):
            start_response("304 Not Modified", [*self.headers_without_content.items()])
            return []
        start_response("200 OK", [*self.headers.items()])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.content]

    @property
    def headers_without_content(self):
        about_content = {"Content-Type", "Content-Length"}
        return {name: self.headers[name] for name in self.headers.keys() - about_content}


known_answers = LRUCache(
    MOST_BYTES, getsizeof=lambda known: len(known.content) + known.evidence.weight
)
lock = Lock()


def known_answer(environ):
    """The answer that the same request got before, while it is true; then it is forgotten."""
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return None
    asked = what_is_asked(environ)
    with lock:
        known = known_answers.get(asked)
    if known is None or holds(known.evidence):
        return known
    with lock:
        known_answers.pop(asked, None)
    return None


def holds(evidence):
    try:
        return evidence.holds()
    except Error:
        return False  # The view will find out what is wrong, and say so.


class KnownAnswers:
    """Keeps the answers for which a view names the `evidence`, and gives them again.

    Outermost: what it gives again is what all other layers made of it, whatever they would refuse.
    So none of them is needed for it, and marketplace/wsgi.py looks here before it asks Django.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        known = known_answer(request.META)
        if known is not None:
            return known.response(request.META)
        response = self.get_response(request)
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # CommonMiddleware says 0, which would be the length of the answer itself.
            response.headers.pop("Content-Length", None)
        if not hasattr(response, "evidence"):
            return response
        answer = Answer(response.content, dict(response.headers), response.evidence)
        # Django has decoded the path meanwhile: only in ASCII it is as the next request spells it.
        if answer.evidence and request.path.isascii():
            with lock, suppress(ValueError):  # it is larger than all that may be kept
                known_answers[what_is_asked(request.META)] = answer
        return answer.response(request.META)
