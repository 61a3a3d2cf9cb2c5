"""The database has the functions, triggers, views and options that the apps declare, no others."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, transaction

from demo.postgres import CHECKOUT

pytestmark = pytest.mark.django_db

FUNCTIONS = """
    SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
"""
TRIGGERS = """
    SELECT tgrelid::regclass || ': ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal
"""
VIEWS = """
    SELECT oid::regclass::text, pg_get_viewdef(oid) FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
"""
CONSTRAINTS = """
    SELECT conrelid::regclass || ': ' || conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
"""
OPTIONS = """
    SELECT oid::regclass::text, relpersistence::text || coalesce(reloptions::text, '') FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
# A declaration writes the row of its function anew, even where that changes nothing.
VERSIONS = """
    SELECT oid::regprocedure::text, xmin::text FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
"""
# What is made anew by the declarations; only functions can be replaced in use.
DROP = """
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger
    WHERE NOT tgisinternal
    UNION ALL
    SELECT format('DROP VIEW %s', oid::regclass) FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
"""
HINT = "a migration brings the database to what the schema folders declare (CONTRIBUTING.md)"


def declared():
    """The SQL of every app that has a schema folder, in the order of their migrations."""
    for app in apps.get_app_configs():
        if Path(app.path).parent == CHECKOUT and find_spec(f"{app.name}.schema"):
            yield from import_module(f"{app.name}.schema").SQL


def rows(cursor, sql):
    cursor.execute(sql)
    return dict(cursor.fetchall())


def definitions(cursor):
    parts = (FUNCTIONS, TRIGGERS, VIEWS, CONSTRAINTS, OPTIONS)
    return {name: text for part in parts for name, text in rows(cursor, part).items()}


@pytest.fixture
def declare():
    """`declare(sql)` runs declarations over the database, for the definitions before and after."""

    def declare(statements):
        with transaction.atomic(), connection.cursor() as cursor:
            before, versions = definitions(cursor), rows(cursor, VERSIONS)
            cursor.execute(DROP)
            for (statement,) in cursor.fetchall():
                cursor.execute(statement)
            for statement in statements:
                cursor.execute(statement)
            after = definitions(cursor)
            written = rows(cursor, VERSIONS).items() - versions.items()
            undeclared = sorted(versions.keys() - dict(written).keys())
            transaction.set_rollback(True)
        return before, after, undeclared

    return declare


def test_it_is_what_the_apps_declare(declare):
    before, after, undeclared = declare(declared())

    assert before == after, HINT
    assert undeclared == [], "a migration drops what no app declares any longer"


def test_a_function_that_was_changed_in_a_declaration_alone_is_seen(declare):
    changed = [sql.replace("interval '90 days'", "interval '91 days'") for sql in declared()]

    before, after, _ = declare(changed)

    assert [name for name in after if before[name] != after[name]] == ["changes_position()"]


def test_what_is_no_longer_declared_is_seen(declare):
    kept = [sql for sql in declared() if "search_popularity(counter" not in sql]

    *_, undeclared = declare(kept)

    assert undeclared == ["search_popularity(bigint)"]
