"""Pages of a list, each cut where the last one ended, as compiled queries."""

from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, BooleanField, Count, F, Func, Subquery, Value
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import GreaterThan, LessThan

from infrastructure.db.compiled_queries import placeholders, versioned


@dataclass(frozen=True)
class Sort:
    """An order of a list, by `key` and then newest first; the website shows its `label`.

    Row ids rise with time, so "newest" is the id, negated in an ascending sort. Then both columns
    sort in the same direction, and one row comparison finds the rows after a position:
    `(key, id) < (…, …)`. An index serves it at any depth.
    """

    key: Any
    label: str
    descending: bool = True

    @property
    def columns(self):
        return [self.key, F("id") if self.descending else F("id") * -1]

    def ordering(self, *, backwards):
        descending = self.descending != backwards
        return [
            column.desc() if descending else column.asc()
            for column in (F("sort_key"), self.columns[1])
        ]

    def beyond(self, key, row, *, backwards):
        """The condition for rows after (or, backwards, before) a position."""
        lookup = LessThan if self.descending != backwards else GreaterThan
        return lookup(_row(self.columns), _row([key, row]))

    def bound(self, position):
        """The `key` and `row` of a position `[key, id]`."""
        key, row_id = position
        return {"key": key, "row": row_id if self.descending else -row_id}


def _row(columns):
    return Func(*columns, function="ROW", output_field=BooleanField())


def compile_page(queryset, sort, count, number, place):
    """The first `number` rows at a place: "start", or "after" or "before" a position.

    Each row has its `sort_key`, and the `count` as `total`. Returns `select` and `versions` of a
    VersionedQuery.
    """
    backwards = place == "before"
    rows = queryset.annotate(sort_key=sort.key, total=count)
    rows = rows.order_by(*sort.ordering(backwards=backwards))
    field = rows.query.annotations["sort_key"].output_field

    def start():
        return rows[:number]

    def beyond(key, row):
        return rows.filter(sort.beyond(Cast(key, field), row, backwards=backwards))[:number]

    page = versioned(start if place == "start" else beyond)
    return page.select, page.versions


def filtered(queryset, filterset):
    """The rows that pass a filter set, with its values bound."""
    for name, value in (placeholders(filterset.values) | filterset.inlined).items():
        queryset = queryset.filter(filterset.filters[name].condition(value))
    return queryset


def count_rows(queryset):
    """The number of rows as an expression."""
    numbers = queryset.order_by().values(every=Value(1)).annotate(number=Count("pk"))
    return Coalesce(Subquery(numbers.values("number")), 0)


def among_ids(queryset, ids):
    """The rows with these ids, a text in the format of `as_array`."""
    is_among = Func(
        *(F("pk"), Cast(ids, ArrayField(BigIntegerField()))),
        arg_joiner=" = ANY(",
        template="(%(expressions)s))",
        output_field=BooleanField(),
    )
    return queryset.filter(is_among)


def as_array(ids):
    """Ids as one text, because psycopg takes longer to write a list."""
    return f"{{{','.join(map(str, ids))}}}"
