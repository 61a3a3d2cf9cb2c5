"""The migrations create exactly what the models and the schema folders declare."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from catalogue.schema import FUNCTIONS as FUNCTIONS_OF_COLUMNS
from demo.postgres import CHECKOUT

pytestmark = pytest.mark.django_db

DEFINITIONS = {
    "relation": """
        SELECT oid::regclass, concat_ws(' ', relkind, relpersistence, relrowsecurity, reloptions)
        FROM pg_class WHERE relnamespace = %s::regnamespace
    """,
    "column": """
        SELECT attrelid::regclass || '.' || attname, concat_ws(
            ' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
            attstorage, attstattarget, attcollation, pg_get_expr(adbin, adrelid)
        )
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
        WHERE relnamespace = %s::regnamespace AND relkind = 'r'
            AND attnum > 0 AND NOT attisdropped
            -- Django's migrations of auth take DEFAULT_AUTO_FIELD, its models do not.
            AND NOT (relname LIKE 'auth\\_%%' AND attname = 'id')
    """,
    "constraint": """
        SELECT conrelid::regclass || ': ' || conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = %s::regnamespace
    """,
    "index": """
        SELECT oid::regclass, pg_get_indexdef(oid)
        FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'i'
    """,
    "function": """
        SELECT oid::regprocedure, pg_get_functiondef(oid)
        FROM pg_proc WHERE pronamespace = %s::regnamespace
    """,
    "trigger": """
        SELECT tgrelid::regclass || ': ' || tgname,
            concat_ws(' ', pg_get_triggerdef(pg_trigger.oid), tgenabled)
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = %s::regnamespace AND NOT tgisinternal
    """,
    "rule": """
        SELECT ev_class::regclass || ': ' || rulename, pg_get_ruledef(pg_rewrite.oid)
        FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
        WHERE relnamespace = %s::regnamespace  -- A view is a rule, too.
    """,
    "statistics": """
        SELECT stxname, pg_get_statisticsobjdef(oid)
        FROM pg_statistic_ext WHERE stxnamespace = %s::regnamespace
    """,
}
HINT = "a migration brings the database to what is declared (CONTRIBUTING.md)"


def declared():
    """The SQL of every app that has a schema folder, in the order of their migrations."""
    for app in apps.get_app_configs():
        is_own = Path(app.path).parent in {CHECKOUT, CHECKOUT / "interfaces"}
        if is_own and find_spec(f"{app.name}.schema"):
            yield from import_module(f"{app.name}.schema").SQL


def definitions(schema):
    """`{"kind and name": definition}` of everything in a PostgreSQL schema."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL search_path = {schema}")
        texts = {}
        for part, query in DEFINITIONS.items():
            cursor.execute(query, [schema])
            for name, text in cursor.fetchall():
                texts[f"{part} {name}"] = text.replace(f"{schema}.", "public.")
    return texts


def create(statements):
    """Create a second schema from the models and the statements, without migrations."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA declared")
        cursor.execute("SET LOCAL search_path = declared")
        for statement in FUNCTIONS_OF_COLUMNS:
            cursor.execute(statement)
        with connection.schema_editor() as editor:
            for model in [*apps.get_models(), MigrationRecorder.Migration]:
                if model._meta.can_migrate(connection):
                    editor.create_model(model)
        for statement in statements:
            cursor.execute(statement)


def differences(statements):
    """The names of objects that differ between the migrations and the declarations."""
    create(statements)
    made, expected = definitions("public"), definitions("declared")
    return sorted(
        name for name in made.keys() | expected.keys() if made.get(name) != expected.get(name)
    )


def test_the_migrations_make_what_is_declared():
    assert differences(declared()) == [], HINT


def test_a_removed_declaration_without_a_migration_is_reported():
    kept = [sql for sql in declared() if "changes_persona_changed" not in sql]

    assert differences(kept) == [
        "constraint catalogue_persona: changes_persona_changed",
        "function changes_note_persona(bigint)",
        "function changes_persona_changed()",
        "trigger catalogue_persona: changes_persona_changed",
    ]
