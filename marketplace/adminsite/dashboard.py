"""The numbers of the dashboard, in a few bounded statements, however large the tables are."""

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.db import connection
from django.db.models import Count, Value
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.text import capfirst

DAYS = 30
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
            "url": list_of(admin),
        }
        for admin, number in zip(admins, numbers, strict=True)
    ]


def new_rows(admins):
    """How many rows were added on each of the last DAYS, for a chart of each model and a table.

    All are counted in one statement.
    """
    admins = [admin for admin in admins if admin.counted_by_day]
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    days = [midnight - timedelta(days=ago) for ago in range(DAYS)]
    numbers = {(admin.opts.label, day.date()): 0 for admin in admins for day in days}
    numbers |= counts_since(days[-1], admins)
    columns = [[numbers[admin.opts.label, day.date()] for day in days] for admin in admins]
    return {
        "charts": [
            chart_of(admin, column, list_since(admin, days[-1]))
            for admin, column in zip(admins, columns, strict=True)
        ],
        "rows": [
            (
                day,
                [
                    (column[ago], list_since(admins[n], day, days=1))
                    for n, column in enumerate(columns)
                ],
            )
            for ago, day in enumerate(days)
        ],
    }


def counts_since(moment, admins):
    """`{(model, day): number of rows}` of every day that has any."""
    counts = []
    for admin in admins:
        label, field = admin.opts.label, admin.counted_by_day
        rows = admin.counted_rows().order_by().filter(**{f"{field}__gte": moment})
        by_day = rows.annotate(label=Value(label), day=TruncDate(field)).values_list("label", "day")
        counts.append(by_day.annotate(Count("pk")))
    rows = counts[0].union(*counts[1:], all=True) if counts else []
    return {(label, day): number for label, day, number in rows}


def chart_of(admin, numbers, url):
    """The bars of the numbers, whose first is today, in an area of DAYS * 10 by 100."""
    most = max(numbers)
    heights = [0 if number == 0 else max(2, 100 * number // most) for number in reversed(numbers)]
    return {
        "title": capfirst(admin.opts.verbose_name_plural),
        "total": Number(sum(numbers)),
        "most": Number(most),
        "url": url,
        "bars": [(10 * place, 100 - height, height) for place, height in enumerate(heights)],
    }


def list_since(admin, moment, days=None):
    """The address of the list of the rows since then, or of those of so many days."""
    field = admin.counted_by_day
    query = {f"{field}__gte": f"{moment:%Y-%m-%dT00:00Z}"}
    if days is not None:
        query[f"{field}__lt"] = f"{moment + timedelta(days=days):%Y-%m-%dT00:00Z}"
    return list_of(admin, **query)


def list_of(admin, **query):
    """The address of the list of the `counted_rows`."""
    query = urlencode({**query, **admin.counted_query})
    return f"{admin.url_of('changelist')}{'?' if query else ''}{query}"


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
