"""Public reads of the feed (docs/develop/feed.md)."""

from django.db.models import IntegerField, Value

from changes.feed import EPOCH, FeedPage
from changes.models import Change, Feed
from infrastructure.db.compiled_queries import compiled
from infrastructure.http_cache.validators import Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.lists import KeysetList


@compiled
def feed():
    return Feed.objects.values_list("newest_at", "complete_since")


def feed_state():
    """The time of the newest change, and of the newest one that was dropped."""
    return tuple(feed.first() or (EPOCH, EPOCH))


class ChangeList(KeysetList):
    def get_queryset(self):
        return Change.objects.all()

    def get_count(self, _queryset, _query):
        """None: there may be a million rows."""
        return Value(0, IntegerField())

    @on_replica
    def page(self, query):
        # Before the page, so that changes committed in between appear again.
        validator = Validator.of(feed_state)
        select, _ = self.compiled(query, query.place)
        rows, _ = select(**query.values, **query.keyset)
        # After the page, because changes may have been dropped since.
        _, complete_since = feed_state()
        return FeedPage(query, rows, validator, complete_since)


changes = ChangeList()
