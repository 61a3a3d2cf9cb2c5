"""What the dashboard shows, in few and bounded statements, however large the tables are."""

from dataclasses import dataclass

from django.db import connection

MAX_EXACT = 10_000
MAX_ATTENTION = 99


@dataclass
class Number:
    """A number as people read it: exact while it is small."""

    value: int
    is_estimate: bool = False

    def share_of(self, whole):
        """The number with its share: 12 (4%)."""
        share = 100 * self.value / whole.value if whole.value else 0
        return f"{self} ({'under 1' if 0 < share < 1 else round(min(share, 100))}%)"

    def __str__(self):
        return f"about {self.value:,}" if self.is_estimate else f"{self.value:,}"


def totals(admins):
    """The number of rows of each model that has `in_totals`."""
    counted = [each for each in admins if each.in_totals]
    numbers = sizes(
        [each.model.objects.all() for each in counted], [each.opts.db_table for each in counted]
    )
    return [
        {
            "name": each.opts.verbose_name_plural,
            "number": number,
            "url": each.url_of("changelist"),
        }
        for each, number in zip(counted, numbers, strict=True)
    ]


def attention(admins):
    """What waits for staff, with the number of rows and the address of their list."""
    items = [(each, *item) for each in admins for item in each.attention()]
    counts = bounded_counts([rows for _, _, rows, _ in items], limit=MAX_ATTENTION)
    return [
        {
            "text": text,
            "number": f"{MAX_ATTENTION}+" if found > MAX_ATTENTION else Number(found),
            "url": each.url_of("changelist") + query,
        }
        for (each, text, _, query), found in zip(items, counts, strict=True)
        if found
    ]


def bounded_counts(querysets, limit, *others):
    """How many rows each query has, counted up to `limit` + 1, all in one statement.

    `others` are more columns of it, each as (sql, parameters).
    """
    if not querysets:
        return []
    columns = [*(count_of(queryset, limit) for queryset in querysets), *others]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(sql for sql, _ in columns)}",
            [parameter for _, parameters in columns for parameter in parameters],
        )
        return list(cursor.fetchone())


def count_of(queryset, limit):
    sql, parameters = queryset.order_by().values("pk")[: limit + 1].query.sql_with_params()
    return f"(SELECT COUNT(*) FROM ({sql}) AS counted)", parameters  # noqa: S608


def sizes(querysets, relations):
    """How many rows each query has: counted up to MAX_EXACT, else PostgreSQL's own estimate.

    It estimates whole tables and indexes: each query's relation is one that holds its rows.
    """
    estimate = "(SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass)"
    found = bounded_counts(querysets, MAX_EXACT, *((estimate, [name]) for name in relations))
    counted, estimated = found[: len(relations)], found[len(relations) :]
    return [
        Number(count) if count <= MAX_EXACT else Number(max(count, estimate), is_estimate=True)
        for count, estimate in zip(counted, estimated, strict=True)
    ]
