"""The feed of changes (lifecycle 18; docs/changes.md): its query string and its cursors."""

from datetime import UTC, datetime
from urllib.parse import urlencode

from django.core import signing
from django.db.models import F, IntegerField, Value
from rest_framework.response import Response

from catalogue.exceptions import CursorExpired
from catalogue.filters import KIND
from catalogue.models import Change, Feed
from marketplace.api.exceptions import BadRequest
from marketplace.api.filtersets import FilterSet
from marketplace.api.keysets import Sort
from marketplace.api.links import base_url
from marketplace.api.pagination import KeysetPagination
from marketplace.db.compiled_queries import CompiledQuery

# No list takes its cursors, and no URL has to escape them.
SIGNER = signing.Signer(salt="catalogue.feed", sep=".")
EPOCH = datetime.fromtimestamp(0, UTC)
feed = CompiledQuery(Feed.objects.values_list("newest_at", "complete_since"))


def feed_state():
    """Up to when there are changes, and since when none was dropped."""
    return feed.first() or (EPOCH, EPOCH)


class ChangeFilterSet(FilterSet):
    queryset = Change.objects.all()
    filters = {"kind": KIND}
    sorts = {"oldest": Sort(F("changed_at"), "Oldest", descending=False)}
    default_sort = "oldest"

    @classmethod
    def allowed(cls):
        return {"limit", "since", *cls.filters}

    def count(self, passing):
        """None is shown: there may be a million."""
        return Value(0, IntegerField())


class FeedPagination(KeysetPagination):
    """A page of the feed after the cursor `since`, for the `state` of the feed.

    A cursor holds the kind that it was made for, up to when there were changes when its reader
    began, and the position of the last change that it has read, if any. What was dropped before
    the reader began is nothing that it could know.
    """

    state = None

    def paginate_queryset(self, queryset, request, view=None):
        newest_at, complete_since = self.state
        self.request, self.query, self.kind = request, queryset.query, queryset.values.get("kind")
        limit, since = self.get_limit(queryset.params), queryset.params.get("since")
        self.began_at, position = (newest_at, None) if since is None else self.decode(since)
        place, bound, read_until = "start", {}, self.began_at
        if position is not None:
            place, bound = "after", queryset.sorts[queryset.sort].bound(position)
            read_until = max(read_until, datetime.fromisoformat(position[0]))
        if read_until < complete_since:
            raise CursorExpired
        select, _ = queryset.compiled_page(limit, place)
        page = select(**queryset.values, **bound)
        self.position = [page[-1].changed_at.isoformat(), page[-1].pk] if page else position
        return page

    def get_paginated_response(self, data):
        position = self.position or []
        cursor = SIGNER.sign_object([self.kind, self.began_at.isoformat(), *position])
        query = urlencode({**self.query, "since": [cursor]}, doseq=True)
        link = f"{base_url(self.request)}{self.request.path}?{query}"
        return Response({"results": data, "next": link, "cursor": cursor})

    def decode(self, cursor):
        """When its reader began, and the position; that of all kinds does for one kind, too."""
        try:
            kind, began_at, *position = SIGNER.unsign_object(cursor)
            began_at = datetime.fromisoformat(began_at)
        except (signing.BadSignature, ValueError) as error:
            raise BadRequest("cursor is invalid") from error
        if kind not in {None, self.kind}:
            raise BadRequest("cursor is invalid")
        return began_at, position or None

    def get_schema_operation_parameters(self, view):
        limit, _ = super().get_schema_operation_parameters(view)
        since = {
            "name": "since",
            "in": "query",
            "description": "The `cursor` of an earlier answer, for what has changed since.",
            "schema": {"type": "string"},
        }
        return [limit, since]
