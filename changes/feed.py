"""The feed of changes (contract 20; docs/develop/feed.md): its query string and its cursors."""

from datetime import UTC, datetime
from urllib.parse import urlencode

from django.core import signing
from django.db.models import F
from rest_framework.response import Response

from catalogue.filters import KIND_FILTER
from changes.exceptions import CursorExpired
from marketplace.api.exceptions import InvalidCursor
from marketplace.api.filtersets import FilterSet
from marketplace.api.keysets import Sort
from marketplace.api.links import base_url
from marketplace.api.lists import Cut
from marketplace.api.pagination import KeysetPagination

# No list takes its cursors, and no URL has to escape them.
SIGNER = signing.Signer(salt="changes.feed", sep=".")
START = datetime.fromtimestamp(0, UTC), 0  # the position before all changes


class ChangeFilterSet(FilterSet):
    filters = {"kind": KIND_FILTER}
    sorts = {"oldest": Sort(F("changed_at"), "Oldest", descending=False)}
    default_sort = "oldest"

    @classmethod
    def allowed(cls):
        return {"limit", "since", *cls.filters}


class FeedPagination(KeysetPagination):
    """A page of the feed after the cursor `since`, with a `validator` for it.

    A cursor holds the kind that it was made for, the position of the last change that its reader
    has read, and up to when it has missed nothing: since the reader began, or since a page reached
    the end. What was dropped before that is nothing that the reader has to be told.
    """

    def paginate_queryset(self, queryset, request, view=None):
        filterset = queryset.filterset
        self.request, self.query, self.kind = request, filterset.query, filterset.values.get("kind")
        limit, since = self.get_limit(filterset.params), filterset.params.get("since")
        known_until, self.position = (None, START) if since is None else self.decode(since)
        (page, self.validator, _), complete_since = queryset.fetch(Cut(limit, self.position))
        newest_at, _ = self.validator.seen
        self.known_until = newest_at if since is None else known_until
        read_until, _ = self.position
        # Of the changes of one transaction, which have one position, some may not be read yet.
        if self.known_until < complete_since and read_until <= complete_since:
            raise CursorExpired
        if page:
            self.position = page[-1].changed_at, page[-1].pk
        if len(page) < limit:
            self.known_until = max(self.known_until, newest_at)
        return page

    def get_paginated_response(self, data):
        cursor = self.encode()
        query = urlencode({**self.query, "since": [cursor]}, doseq=True)
        link = f"{base_url(self.request)}{self.request.path}?{query}"
        return Response({"results": data, "next": link, "cursor": cursor})

    def encode(self):
        read_until, row_id = self.position
        times = [self.known_until.isoformat(), read_until.isoformat()]
        return SIGNER.sign_object([self.kind, *times, row_id])

    def decode(self, cursor):
        """Up to when its reader knows all, and the position; one of all kinds does for one too."""
        try:
            kind, known_until, read_until, row_id = SIGNER.unsign_object(cursor)
            position = datetime.fromisoformat(read_until), int(row_id)
            known_until = datetime.fromisoformat(known_until)
        except (signing.BadSignature, TypeError, ValueError) as error:
            raise InvalidCursor from error
        if kind not in {None, self.kind}:
            raise InvalidCursor
        return known_until, position

    def get_schema_operation_parameters(self, view):
        limit, _ = super().get_schema_operation_parameters(view)
        since = {
            "name": "since",
            "in": "query",
            "description": "The `cursor` of an earlier response. You get the changes since then.",
            "schema": {"type": "string"},
        }
        return [limit, since]
