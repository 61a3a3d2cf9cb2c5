"""How many rows each day has added, of which DayCount keeps the days that are over."""

from datetime import UTC, datetime, time, timedelta
from itertools import chain
from time import monotonic

from django.db import connection
from django.utils import timezone

from marketplace.models import DayCount

# Days that a visit counts in one statement. Each is stored at once, and a next one is begun only
# while they take less than MAX_SECONDS: the first visit of a large marketplace counts the newest
# days, and every other one some more.
BATCHES = 14, 60, 365
MAX_SECONDS = 0.5

# Where somebody else counts the same day, both find the same number.
STORE = """
INSERT INTO marketplace_daycount (name, day, rows) {counts}
ON CONFLICT (name, day) DO UPDATE SET rows = excluded.rows
RETURNING name, day, rows
"""
COUNTS = """
SELECT %s::varchar, day, COALESCE(found.rows, 0)
FROM unnest(%s::date[]) AS day LEFT JOIN (
    SELECT ({field} AT TIME ZONE 'UTC')::date AS day, COUNT(*) AS rows
    FROM {table} WHERE {field} >= %s AND {field} < %s GROUP BY 1
) AS found USING (day)
"""


def rows_per_day(sources, number):
    """`{name: [(day, rows)]}` of the last days; `sources` are {name: (model, datetime field)}.

    Today is counted each time. The rows of a day that is not counted yet are None.
    """
    today = timezone.now().date()
    days = [today - timedelta(days=ago) for ago in range(number - 1, -1, -1)]
    counted = {
        (row.name, row.day): row.rows
        for row in DayCount.objects.filter(day__gte=days[0], name__in=sources)
    }
    count_missing(sources, days[:-1], counted)
    counted |= {(name, today): rows for name, rows in rows_since(sources, today).items()}
    return {name: [(day, counted.get((name, day))) for day in days] for name in sources}


def count_missing(sources, days, counted):
    """Count and store the days that are over, the newest first, as long as that is quick."""
    missing = {day for day in days for name in sources if (name, day) not in counted}
    if not missing:
        return
    missing, begun = sorted(missing, reverse=True), monotonic()
    for size in BATCHES:
        batch, missing = missing[:size], missing[size:]
        wanted = {name: [day for day in batch if (name, day) not in counted] for name in sources}
        counted |= store_counts(sources, {name: days for name, days in wanted.items() if days})
        if not missing or monotonic() - begun > MAX_SECONDS:
            return


def store_counts(sources, wanted):
    """Count the days of each name, and store them; one statement, which commits by itself."""
    parts, parameters = [], []
    for name, days in wanted.items():
        model, field = sources[name]
        parts.append(COUNTS.format(table=model._meta.db_table, field=field))
        parameters += [name, days, midnight(min(days)), midnight(max(days) + timedelta(days=1))]
    with connection.cursor() as cursor:
        cursor.execute(STORE.format(counts=" UNION ALL ".join(parts)), parameters)
        return {(name, day): rows for name, day, rows in cursor.fetchall()}


def rows_since(sources, day):
    """`{name: rows}` of the rows since the day began, in one statement."""
    if not sources:
        return {}
    counts = ", ".join(
        f"(SELECT COUNT(*) FROM {model._meta.db_table} WHERE {field} >= %s)"  # noqa: S608
        for model, field in sources.values()
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}", [midnight(day)] * len(sources))
        return dict(zip(sources, cursor.fetchone(), strict=True))


def midnight(day):
    return datetime.combine(day, time(), UTC)


def summed(counts):
    """The counts of several names by day; of a day that one of them has not counted, None."""
    by_day = {}
    for day, rows in chain(*counts):
        before = by_day.get(day, 0)
        by_day[day] = None if rows is None or before is None else before + rows
    return list(by_day.items())
