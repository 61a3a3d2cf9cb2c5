"""The feed of changes (contract 20; docs/develop/feed.md): its query string and its cursors."""

from datetime import UTC, datetime

from django.core import signing
from django.db.models import F
from rest_framework.response import Response

from catalogue.list_queries import KIND_FILTER
from changes.exceptions import CursorExpired
from infrastructure.http_cache.validators import Read
from marketplace.api.exceptions import InvalidCursor
from marketplace.api.list_queries import ListQuery, Sort

# Lists do not accept its cursors, and URLs need not escape them.
SIGNER = signing.Signer(salt="changes.feed", sep=".")
EPOCH = datetime.fromtimestamp(0, UTC)


class ChangeQuery(ListQuery):
    """The changes after the cursor `since`.

    A cursor holds its kind, the position of the last change that the reader has read, and the time
    until which the reader has missed nothing: when it began, or when a page reached the end. The
    reader need not know about changes that were dropped before that.
    """

    cursor_query_param = "since"
    cursor_description = "The `cursor` of an earlier response. You get the changes since then."
    filters = {"kind": KIND_FILTER}
    sorts = {"oldest": Sort(F("changed_at"), "Oldest", descending=False)}
    default_sort = "oldest"
    position = EPOCH.isoformat(), 0  # before all changes
    known_until = None

    @property
    def kind(self):
        return self.values.get("kind")

    def encode_cursor(self, position, known_until):
        return SIGNER.sign_object([self.kind, known_until.isoformat(), *position])

    def decode_cursor(self, cursor):
        """Set the position and the time. A cursor for all kinds also works for one."""
        try:
            kind, known_until, read_until, row_id = SIGNER.unsign_object(cursor)
            self.position = datetime.fromisoformat(read_until).isoformat(), int(row_id)
            self.known_until = datetime.fromisoformat(known_until)
        except (signing.BadSignature, TypeError, ValueError) as error:
            raise InvalidCursor from error
        if kind not in {None, self.kind}:
            raise InvalidCursor


class FeedPage:
    """A page of the feed. Its validator compares the state of the feed.

    Raises CursorExpired if changes until `complete_since` were dropped and the reader has not read
    all of them.
    """

    def __init__(self, query, rows, validator, complete_since):
        newest_at, _ = validator.seen
        known_until = newest_at if query.known_until is None else query.known_until
        read_until = datetime.fromisoformat(query.position[0])
        # All changes of a transaction have one position, and some may be unread.
        if known_until < complete_since and read_until <= complete_since:
            raise CursorExpired
        self.query, self.results, self.position = query, rows[: query.limit], query.position
        if self.results:
            self.position = self.results[-1].changed_at.isoformat(), self.results[-1].pk
        is_end = len(self.results) < query.limit
        self.known_until = max(known_until, newest_at) if is_end else known_until
        self.read = Read(self.results, validator)

    def get_paginated_response(self, data, request):
        cursor = self.query.encode_cursor(self.position, self.known_until)
        link = self.query.link(request, cursor)
        return Response({"results": data, "next": link, "cursor": cursor})
