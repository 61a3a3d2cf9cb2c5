"""The numbers of the dashboard, in a few bounded statements, however large the tables are."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Count, Value
from django.db.models.functions import TruncDate
from django.utils import timezone

DAYS = 14
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
    admins = [admin for admin in admins if admin.in_totals]
    numbers = sizes(
        [admin.counted_rows() for admin in admins], [admin.opts.db_table for admin in admins]
    )
    return [
        {
            "name": admin.opts.verbose_name_plural,
            "number": number,
            "url": admin.url_of("changelist"),
        }
        for admin, number in zip(admins, numbers, strict=True)
    ]


def rows_per_day(admins):
    """How many rows were added on each of the last DAYS, newest first, by title, in one statement.

    Models with the same title are added up: "Installs" counts skills and personas.
    """
    admins = [admin for admin in admins if admin.counted_by_day]
    titles = list(dict.fromkeys(admin.counted_by_day[0] for admin in admins))
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    days = [(midnight - timedelta(days=ago)).date() for ago in range(DAYS)]
    rows = {day: dict.fromkeys(titles, 0) for day in days}
    for title, day, number in counts_since(midnight - timedelta(days=DAYS - 1), admins):
        if day in rows:  # A clock may be ahead of this one.
            rows[day][title] += number
    return {"titles": titles, "rows": [(day, rows[day].values()) for day in days]}


def counts_since(moment, admins):
    """(title, day, number of rows) of every day that has any."""
    counts = []
    for admin in admins:
        title, field = admin.counted_by_day
        rows = admin.counted_rows().order_by().filter(**{f"{field}__gte": moment})
        by_day = rows.annotate(title=Value(title), day=TruncDate(field)).values_list("title", "day")
        counts.append(by_day.annotate(Count("pk")))
    return counts[0].union(*counts[1:], all=True) if counts else []


def attention(admins):
    """What needs attention, with the number of rows and the address of their list."""
    items = [(admin, *item) for admin in admins for item in admin.attention()]
    counts = bounded_counts([rows for _, _, rows, _ in items], limit=MAX_ATTENTION)
    return [
        {
            "text": text,
            "number": f"{MAX_ATTENTION}+" if count > MAX_ATTENTION else Number(count),
            "url": admin.url_of("changelist") + query,
        }
        for (admin, text, _, query), count in zip(items, counts, strict=True)
        if count
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

    PostgreSQL estimates whole tables and indexes. So the `relations` name, for each query, the
    table or index that holds exactly its rows.
    """
    estimate = "(SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass)"
    counts = bounded_counts(querysets, MAX_EXACT, *((estimate, [name]) for name in relations))
    exact, estimates = counts[: len(relations)], counts[len(relations) :]
    return [
        Number(count) if count <= MAX_EXACT else Number(max(count, estimate), is_estimate=True)
        for count, estimate in zip(exact, estimates, strict=True)
    ]
