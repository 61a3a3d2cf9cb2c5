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
from django.db import Error, connection
from django.http import HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

MOST_BYTES = 16 * 1024 * 1024  # in each process

# Where the asker has written nothing itself, two equal snapshots see the same rows.
SNAPSHOT = """
SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN pg_current_snapshot()::text END
"""


@dataclass(frozen=True)
class Evidence:
    """What an answer rests on: it is true for as long as `check()` gives what was `seen`."""

    check: Callable[[], Any]
    seen: Any
    weight: int = 8 * 1024  # bytes that it takes to keep, about; the answer's headers included

    def holds(self):
        return self.seen is not None and self.check() == self.seen

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


def snapshot():
    """What the whole database holds at this moment; None inside a transaction that writes."""
    with connection.cursor() as cursor:
        cursor.execute(SNAPSHOT)
        return cursor.fetchone()[0]


def public_answer(content, evidence, *, content_type):
    """A text for everybody, with the ETag of what it says; KnownAnswers gives it again."""
    etag = f'"{sha256(content.encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, no-cache"}
    response = HttpResponse(content, content_type=content_type, headers=headers)
    response.evidence = evidence
    return response


def what_is_asked(request):
    """All of a request that an answer for everybody depends on: its whole URL.

    The host and the scheme stand in the links of a list.
    """
    host, query = request.META.get("HTTP_HOST"), request.META["QUERY_STRING"]
    return request.scheme, host, request.path, query


def is_known(request, etag):
    """Whether the client has this very answer already (`If-None-Match`)."""
    given = request.META.get("HTTP_IF_NONE_MATCH")
    known = {tag.removeprefix("W/") for tag in parse_etags(given)} if given else set()
    return etag in known or "*" in known


@dataclass(frozen=True)
class Answer:
    content: bytes
    headers: dict
    evidence: Evidence | None

    def response(self, request):
        etag = self.headers["ETag"]
        if is_known(request, etag):
            about_content = {"Content-Type", "Content-Length"}
            kept = {name: self.headers[name] for name in self.headers.keys() - about_content}
            return HttpResponseNotModified(headers=kept)
        return HttpResponse(self.content, headers=self.headers)


known_answers = LRUCache(
    MOST_BYTES, getsizeof=lambda known: len(known.content) + known.evidence.weight
)
lock = Lock()


class KnownAnswers:
    """Gives an answer again to the same request; views set the `evidence` of their response.

    Outermost: what it gives again is what all other layers made of it, whatever they would refuse.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if request.method not in {"GET", "HEAD"}:
            return self.get_response(request)
        asked = what_is_asked(request)
        with lock:
            known = known_answers.get(asked)
        if known and holds(known.evidence):
            return known.response(request)
        response = self.get_response(request)
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # CommonMiddleware says 0, which would be the length of the answer itself.
            response.headers.pop("Content-Length", None)
        if not hasattr(response, "evidence"):
            return response
        answer = Answer(response.content, dict(response.headers), response.evidence)
        if answer.evidence and answer.evidence.seen is not None:
            with lock, suppress(ValueError):  # it is larger than all that may be kept
                known_answers[asked] = answer
        return answer.response(request)


def holds(evidence):
    try:
        return evidence.holds()
    except Error:
        return False  # The view will find out what is wrong, and say so.
