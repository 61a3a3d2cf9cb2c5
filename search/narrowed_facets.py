"""The facets of a list, counted among the entries that its other filters leave."""

from collections import Counter, defaultdict
from copy import copy
from functools import partial

from catalogue.models import label_key
from infrastructure.db.compiled_queries import compiled, compiled_once
from infrastructure.db.statements import fetch_all
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from search.facet_counts import FACET_VALUES
from search.reads import version_validator

MAX_COUNTED = 10_000  # values of a facet; beyond them, the stored values are shown without counts
# The column of a facet, and its values in a row: at least one, so that the limit bounds the work.
VALUES = {
    "category": ("category", "category"),
    "license": ("license", "license"),
    "runtime": ("runtimes", "unnest(CASE runtimes WHEN '{}' THEN '{\"\"}' ELSE runtimes END)"),
    "free": ("price_cents", "(price_cents = 0)::text"),
}
PASSING = "{name} AS MATERIALIZED (SELECT * FROM ({entries}) AS entry LIMIT %(most)s)"
NARROWED = """
    UNION ALL SELECT NULL, '{facet}', value, count(*), true
    FROM (SELECT {value} AS value FROM {name} LIMIT %(most)s) AS counted
    GROUP BY value
"""


class NarrowedFacets:
    """Counts the values of each facet among the entries that pass all filters but its own.

    These are the same entries for all facets that have no filter, so they are read once.
    """

    def __init__(self, entries, query, facets):
        self.parts = {}
        groups = defaultdict(list)
        for facet in facets:
            groups[f"without_{facet}" if facet in query.values else "passing"].append(facet)
        parts = []
        for name, group in groups.items():
            published = entries.model.objects.published()
            passing = entries.filter_queryset(published, without(query, *group))
            columns = [VALUES[facet][0] for facet in group]
            self.parts[name] = part = compiled(partial(columns_of, passing, columns))
            values = [f"%({name}_{place})s" for place in range(len(part.compiled.placeholders))]
            parts.append(PASSING.format(name=name, entries=part.compiled.sql % tuple(values)))
        sql = f"WITH {', '.join(parts)} " if parts else ""
        sql += f"SELECT *, false FROM ({FACET_VALUES}) AS stored"
        for name, group in groups.items():
            for facet in group:
                sql += NARROWED.format(facet=facet, value=VALUES[facet][1], name=name)
        self.sql = sql

    def __call__(self, *, bound, **params):
        """Rows of the catalogue version, the facet, a value, its entries, and which it counts."""
        for name, part in self.parts.items():
            values = enumerate(part.values(bound))
            params |= {f"{name}_{place}": value for place, value in values}
        return fetch_all(self.sql, params | {"most": MAX_COUNTED + 1})


def columns_of(queryset, columns):
    return queryset.order_by().values_list(*columns)


def without(query, *facets):
    """The same query without its filters by these facets."""
    query = copy(query)
    query.values = {name: value for name, value in query.values.items() if name not in facets}
    return query


@on_replica
def facets_of(entries, query, facets, limit):
    """`{facet: {value: entries}}` of a list, the most common values first.

    A number counts what the list would have with this value instead of the facet's own filter. It
    is None in a search, and where too many entries would have to be read.
    """
    narrowed = [facet for facet in facets if query.values.keys() - {facet} and not query.words]

    def compile_facets():
        count = NarrowedFacets(entries, query, narrowed)
        return count, count

    shape = (NarrowedFacets, entries, *query.shape, *narrowed)
    count, count_again = compiled_once(shape, compile_facets)
    params = {"kind": entries.model.kind, "facets": list(facets), "limit": limit}
    rows = count(bound=query.values, **params)
    if query.is_versioned:
        validator = version_validator(next(version for version, *_, is_more in rows if not is_more))
    else:
        validator = Validator(partial(count_again, bound=query.values, **params), rows)
    return Read({facet: values_of(rows, facet, query, limit) for facet in facets}, validator)


def values_of(rows, facet, query, limit):
    """`{value: entries}` of one facet, from the `rows` of NarrowedFacets."""
    stored, narrowed = Counter(), Counter()
    for _, name, value, entries, is_narrowed in rows:
        if name == facet:
            (narrowed if is_narrowed else stored)[value] = entries
    is_whole = not query.words and not query.values.keys() - {facet}
    if not is_whole and 0 < narrowed.total() <= MAX_COUNTED:
        return dict(in_one_case(narrowed)[:limit])
    return {value: entries if is_whole else None for value, entries in in_one_case(stored)}


def in_one_case(counts):
    """`[(value, entries), …]`, the most common first; values that differ only in case are one."""
    numbers, spellings = Counter(), {}
    for value, entries in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        if value:
            numbers[label_key(value)] += entries
            spellings.setdefault(label_key(value), value)
    best = sorted(numbers.items(), key=lambda row: (-row[1], spellings[row[0]]))
    return [(spellings[key], entries) for key, entries in best]
