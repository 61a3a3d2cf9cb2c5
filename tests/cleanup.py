"""Deletes the rows that a test committed, from the tables that it wrote to.

Django would truncate all tables and recreate permissions and content types, which takes half a
second, and would delete the groups that a migration created.
"""

from functools import cache

from django.db import connection, transaction

FILLED_BY_MIGRATIONS = [
    *("django_migrations", "django_content_type", "auth_permission"),
    *("auth_group", "auth_group_permissions"),
]
FACET_COUNTS = ["search_facetcount", "search_facetcountdelta"]
FEED = ["changes_feed"]
# PostgreSQL refuses to delete their rows.
KEPT = [
    "submissions_submittedversion",
    "audit_auditevent",
    *("catalogue_skillversion", "catalogue_personaversion", "catalogue_filecontent"),
]


def forget_versions():
    """Delete all versions and their texts, so that entries can be deleted."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in KEPT:
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("SET LOCAL session_replication_role = origin")


def empty_the_database():
    with connection.cursor() as cursor:
        forget_versions()
        cursor.execute(written_tables())
        written = [table for (table,) in cursor.fetchall()]
        # Foreign keys are checked at the end of the transaction, so any order works.
        with transaction.atomic():
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            for table in written:
                cursor.execute(f'DELETE FROM "{table}"')
            # They wrote to the feed. Its position keeps rising, because servers cache by it.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("DELETE FROM changes_change")
            cursor.execute("UPDATE changes_feed SET complete_since = 'epoch'")
            # Triggers have counted the entries down to zero. The catalogue version keeps rising,
            # because a server that also serves the next test caches searches by it.
            for table in FACET_COUNTS:
                cursor.execute(f"DELETE FROM {table} WHERE facet <> 'version'")


@cache
def written_tables():
    """A statement that names the tables that have any rows."""
    # The tables of models: `bench.fill` removes its own.
    every = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = set(every) - {
        *FILLED_BY_MIGRATIONS,
        *FACET_COUNTS,
        *FEED,
    }
    return " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT FROM \"{table}\")" for table in sorted(tables)
    )
