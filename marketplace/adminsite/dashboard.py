"""What the dashboard shows, in few and bounded statements, however large the tables are."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from django.db import connection
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from marketplace.models import DayCount

DAYS = 14
MAX_EXACT = 10_000
MAX_ATTENTION = 99


@dataclass
class Number:
    """A number as people read it: exact while it is small."""

    value: int
    is_estimate: bool = False

    def __str__(self):
        return f"about {self.value:,}" if self.is_estimate else f"{self.value:,}"


def charts(admins):
    """A chart of rows by day for each title: "Installs" are those of skills and of personas."""
    counted = [each for each in admins if each.counted_by_day]
    days = rows_per_day(
        {each.opts.model_name: (each.model, each.counted_by_day[1]) for each in counted}
    )
    by_title = {}
    for each in counted:
        title, rows = each.counted_by_day[0], days[each.opts.model_name]
        before = by_title.get(title, [(day, 0) for day, _ in rows])
        by_title[title] = [
            (day, old + new) for (day, old), (_, new) in zip(before, rows, strict=True)
        ]
    return [{"title": title, **bars(days)} for title, days in by_title.items()]


def totals(admins):
    """The number of rows of each model that has `in_totals`."""
    counted = [each for each in admins if each.in_totals]
    numbers = table_sizes([each.model for each in counted])
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


def bounded_counts(querysets, limit):
    """How many rows each query has, counted up to `limit` + 1, all in one statement."""
    if not querysets:
        return []
    parts, parameters = [], []
    for queryset in querysets:
        sql, values = queryset.order_by().values("pk")[: limit + 1].query.sql_with_params()
        parts.append(f"(SELECT COUNT(*) FROM ({sql}) AS counted)")  # noqa: S608
        parameters += values
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}", parameters)
        return list(cursor.fetchone())


def table_sizes(models):
    """How many rows each table has: counted up to MAX_EXACT, else PostgreSQL's own estimate."""
    counted = bounded_counts([model.objects.all() for model in models], limit=MAX_EXACT)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples::bigint FROM pg_class WHERE relname = ANY(%s)",
            [[model._meta.db_table for model in models]],
        )
        estimated = dict(cursor.fetchall())
    return [
        Number(count)
        if count <= MAX_EXACT
        else Number(max(count, estimated[model._meta.db_table]), is_estimate=True)
        for model, count in zip(models, counted, strict=True)
    ]


def rows_per_day(sources):
    """`{name: [(day, rows)]}` of the last days; `sources` are {name: (model, datetime field)}.

    The count of a day that is over is stored; only today is counted each time.
    """
    today = timezone.now().date()
    days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
    counted = {
        (row.name, row.day): row.rows
        for row in DayCount.objects.filter(day__gte=days[0], name__in=sources)
    }
    over = []
    for name, (model, field) in sources.items():
        missing = [day for day in days[:-1] if (name, day) not in counted]
        first = min(missing, default=today)
        counts = counts_by_day(model, field, first)
        counted |= {(name, day): counts.get(day, 0) for day in days if day >= first}
        over += [DayCount(name=name, day=day, rows=counts.get(day, 0)) for day in missing]
    DayCount.objects.bulk_create(over, ignore_conflicts=True)
    return {name: [(day, counted[name, day]) for day in days] for name in sources}


def counts_by_day(model, field, first):
    start = datetime.combine(first, time(), UTC)
    rows = model.objects.filter(**{f"{field}__gte": start}).order_by()
    counts = rows.values(day=TruncDate(field)).annotate(rows=Count("pk"))
    return dict(counts.values_list("day", "rows"))


def bars(days, *, width=280, height=72):
    """A chart of days as SVG rectangles, in units of its viewBox."""
    highest = max((rows for _, rows in days), default=0) or 1
    step = width / len(days)
    drawn = []
    for number, (day, rows) in enumerate(days):
        bar_height = max(round(height * rows / highest, 1), 1)
        drawn.append(
            {
                "x": round(number * step, 1),
                "y": height - bar_height,
                "width": round(step * 0.72, 1),
                "height": bar_height,
                "day": day,
                "rows": rows,
            }
        )
    return {
        "bars": drawn,
        "width": width,
        "height": height,
        "total": sum(rows for _, rows in days),
        "today": days[-1][1],
    }
