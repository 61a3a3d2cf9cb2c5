"""Public reads of the feed (docs/develop/feed.md)."""

from datetime import UTC, datetime
from functools import partial

from django.db.models import IntegerField, Value

from changes.models import Change, Feed
from infrastructure.db.compiled_queries import compiled
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.lists import FilteredList, Rows

EPOCH = datetime.fromtimestamp(0, UTC)


@compiled
def feed():
    return Feed.objects.values_list("newest_at", "complete_since")


def feed_state():
    """The time of the newest change, and of the newest one that was dropped."""
    return tuple(feed.first() or (EPOCH, EPOCH))


# No count: there may be a million rows.
all_changes = FilteredList(Change.objects.all, lambda *_: Value(0, IntegerField()))


def changes(filterset):
    return Rows(filterset, partial(fetch_changes, filterset))


@on_replica
def fetch_changes(filterset, cut):
    # Before the page, so that changes committed in between appear again.
    validator = Validator.of(feed_state)
    read_until, row_id = cut.position
    after = filterset.sorts[filterset.sort].bound((read_until.isoformat(), row_id))
    select, _ = all_changes.page(filterset, cut.number, "after")
    rows, _ = select(**filterset.values, **after)
    # After the page, because changes may have been dropped since.
    _, complete_since = feed_state()
    return Read(rows, validator), complete_since
