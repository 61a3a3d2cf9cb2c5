"""Numbers of published entries by facet, and the version of the catalogue (docs/discovery.md)."""

from django.db.models import BigIntegerField, Func, Value

from marketplace.db.replicas import read_connection

# NULL in a transaction that has written: the version rises once in each, and would stay the same
# through later writes of this one.
CATALOGUE_VERSION = """
    SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL
        THEN catalogue_count('entry', 'version', '') END
"""


def facet_count(model, facet, value):
    """An expression for the number of published entries with this value of a facet.

    As a subselect, so that PostgreSQL computes it once for all rows.
    """
    return Func(
        Value(model.__name__.lower()),
        Value(facet),
        value,
        function="catalogue_count",
        template="(SELECT %(function)s(%(expressions)s))",
        output_field=BigIntegerField(),
    )


def catalogue_version():
    """A number that changes with every write that may change a ranking.

    Ratings are not among these writes. None in a transaction that has written.
    """
    [(number,)] = read_connection().fetch_all(CATALOGUE_VERSION)
    return number
