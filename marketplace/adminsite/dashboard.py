"""The numbers of the start page: few and bounded statements, however large the tables are."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from django.db import connection
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from marketplace.models import DayCount

DAYS = 14
MAX_EXACT = 10_000


@dataclass
class Number:
    """A number as people read it: exact while it is small."""

    value: int
    is_estimate: bool = False

    def __str__(self):
        return f"about {self.value:,}" if self.is_estimate else f"{self.value:,}"


def bounded_counts(querysets, most=MAX_EXACT):
    """How many rows each query has, counting no further than one more than `most`.

    All in one statement.
    """
    if not querysets:
        return []
    parts, parameters = [], []
    for queryset in querysets:
        sql, values = queryset.order_by().values("pk")[: most + 1].query.sql_with_params()
        parts.append(f"(SELECT COUNT(*) FROM ({sql}) AS counted)")  # noqa: S608
        parameters += values
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(parts)}", parameters)
        return list(cursor.fetchone())


def sizes(models):
    """How many rows each table has: counted while they are few, else PostgreSQL's own estimate."""
    counted = bounded_counts([model.objects.all() for model in models])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples::bigint FROM pg_class WHERE relname = ANY(%s)",
            [[model._meta.db_table for model in models]],  # noqa: SLF001
        )
        estimated = dict(cursor.fetchall())
    return [
        Number(count)
        if count <= MAX_EXACT
        else Number(max(count, estimated[model._meta.db_table]), is_estimate=True)  # noqa: SLF001
        for model, count in zip(models, counted, strict=True)
    ]


def per_day(sources):
    """`{name: [(day, rows)]}` of the last days; `sources` are {name: (model, time field)}.

    A day that is over is counted once and kept; only today is counted each time.
    """
    today = timezone.now().date()
    days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
    kept = {
        (row.name, row.day): row.rows
        for row in DayCount.objects.filter(day__gte=days[0], name__in=sources)
    }
    over = []
    for name, (model, field) in sources.items():
        missing = [day for day in days[:-1] if (name, day) not in kept]
        first = min(missing, default=today)
        counts = rows_by_day(model, field, first)
        kept |= {(name, day): counts.get(day, 0) for day in days if day >= first}
        over += [DayCount(name=name, day=day, rows=counts.get(day, 0)) for day in missing]
    DayCount.objects.bulk_create(over, ignore_conflicts=True)
    return {name: [(day, kept[name, day]) for day in days] for name in sources}


def rows_by_day(model, field, first):
    start = datetime.combine(first, time(), UTC)
    rows = model.objects.filter(**{f"{field}__gte": start}).order_by()
    counts = rows.values(day=TruncDate(field)).annotate(rows=Count("pk"))
    return dict(counts.values_list("day", "rows"))


def bars(days, *, width=280, height=72):
    """A chart of days as SVG rectangles: what the template draws, in its own units."""
    highest = max((rows for _, rows in days), default=0) or 1
    step = width / len(days)
    drawn = []
    for number, (day, rows) in enumerate(days):
        tall = max(round(height * rows / highest, 1), 1)
        drawn.append(
            {
                "x": round(number * step, 1),
                "y": height - tall,
                "width": round(step * 0.72, 1),
                "height": tall,
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
