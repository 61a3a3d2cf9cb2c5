"""Counts of published entries by facet, and the catalogue version (docs/develop/search.md)."""

from django.db.models import BigIntegerField, Func, Value

# NULL in a transaction that has written: the version rises once per transaction, so it would stay
# the same through later writes of this one.
UNLESS_WRITTEN = "CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN {version} END"
CATALOGUE_VERSION = "SELECT " + UNLESS_WRITTEN.format(
    version="search_count('entry', 'version', '')"
)

# The rows that `search_count` adds up. A function is set up anew in each statement that calls it,
# which takes longer than the look-up.
COUNTS = """(
    SELECT kind, facet, value, entries FROM search_facetcount
    UNION ALL
    SELECT kind, facet, value, entries FROM search_facetcountdelta
) AS counts"""

MAX_VALUES = 100  # of a facet
# A facet has few deltas: the next writer adds them up.
FACET_VALUES = f"""
    SELECT version, facet, common.value, common.entries
    FROM ({CATALOGUE_VERSION}) AS catalogue (version) LEFT JOIN (
        unnest(%(facets)s::text[]) WITH ORDINALITY AS facets (facet, place)
        CROSS JOIN LATERAL (
            -- Values that differ only in case are one, in their most common spelling.
            SELECT (array_agg(spelling.value ORDER BY spelling.entries DESC, spelling.value))[1]
                AS value, sum(spelling.entries)::bigint AS entries
            FROM (
                SELECT counted.value, sum(counted.entries) AS entries
                FROM (
                    SELECT value, entries FROM search_facetcount AS kept
                    WHERE kept.kind = %(kind)s AND kept.facet = facets.facet
                    UNION ALL
                    SELECT value, entries FROM search_facetcountdelta AS delta
                    WHERE delta.kind = %(kind)s AND delta.facet = facets.facet
                ) AS counted
                WHERE counted.value <> ''
                GROUP BY counted.value HAVING sum(counted.entries) > 0
            ) AS spelling
            GROUP BY lower(spelling.value COLLATE "default")
            ORDER BY entries DESC, value LIMIT %(limit)s
        ) AS common
    ) ON true
    ORDER BY place, common.entries DESC, common.value
"""


def facet_count(model, facet, value):
    """An expression for the number of published entries with this value of a facet, in any case.

    It is a subselect, so that PostgreSQL computes it once for all rows.
    """
    return Func(
        Value(model.kind),
        Value(facet),
        value,
        function="search_label_count",
        template="(SELECT %(function)s(%(expressions)s))",
        output_field=BigIntegerField(),
    )
