"""Migrations that would break the running release are refused, and others are not."""

from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.postgres.operations import NotInTransactionMixin
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django_migration_linter.management.commands.lintmigrations import Command as Linter

from catalogue.models import Skill
from demo.postgres import CHECKOUT
from tests.factories import SkillFactory
from tests.next_release import add_migration, next_release_of

pytestmark = pytest.mark.django_db(transaction=True)

COLUMN = "migrations.AddField('agent', 'colour', models.CharField(max_length=9, {}))"
INDEX = "'agent', models.Index(fields=['tier'], name='next_tier')"
REFUSED = {
    "a column that the previous release does not fill": COLUMN.format("default='red'"),
    "a renamed column": "migrations.RenameField('agent', 'tier', 'plan')",
    "a dropped column": "migrations.RemoveField('agent', 'tier')",
    "a column of another type": "migrations.AlterField('agent', 'tier', models.IntegerField())",
    "a renamed table": "migrations.AlterModelTable('agent', 'agents')",
    "a dropped table": "migrations.DeleteModel('operatorclaim')",
    "an index that blocks writes": f"migrations.AddIndex({INDEX})",
}
ACCEPTED = {
    "a column with a default of the database": (True, COLUMN.format("db_default='red'")),
    "a column that may be empty": (True, COLUMN.format("null=True")),
    "an index that is built concurrently": (False, f"AddIndexConcurrently({INDEX})"),
}


@pytest.fixture
def lint(tmp_path, settings, monkeypatch):
    """`lint(operations)` as `make lint` does, in a next migration of the app agents."""

    def lint(operations, *, atomic=True):
        package = next_release_of("agents", tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        settings.MIGRATION_MODULES = {"agents": package.name}
        call_command(Linter(), *add_migration(package, operations, atomic=atomic))

    return lint


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses(lint, name):
    with pytest.raises(SystemExit) as refused:
        lint(REFUSED[name])

    assert refused.value.code == 1


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_accepts(lint, name):
    atomic, operations = ACCEPTED[name]

    lint(operations, atomic=atomic)


def test_only_concurrent_operations_stand_outside_a_transaction():
    # `migrate` sets them no lock timeout, and could not repeat half of one.
    own = {app.label for app in apps.get_app_configs() if Path(app.path).parent == CHECKOUT}
    loose = [
        str(migration)
        for migration in MigrationLoader(None).disk_migrations.values()
        if migration.app_label in own
        and not migration.atomic
        and not all(isinstance(it, NotInTransactionMixin) for it in migration.operations)
    ]

    assert loose == []


@pytest.mark.parametrize("app", ["changes", "connections", "git", "search", "submissions"])
def test_an_app_removes_and_restores_its_triggers_on_tables_of_others(app):
    # Not by `migrate`: later migrations of other apps cannot be undone in a transaction.
    loader = MigrationLoader(connection)
    steps = [
        (loader.graph.nodes[key], loader.project_state(key, at_end=False))
        for key in sorted(loader.graph.nodes)
        # Indexes that are made concurrently go with their tables.
        if key[0] == app and loader.graph.nodes[key].atomic
    ]
    functions = functions_of(app)
    # Only this test sees the database without it.
    with transaction.atomic():
        for migration, state in reversed(steps):
            with connection.schema_editor() as editor:
                migration.unapply(state.clone(), editor)
        assert functions_of(app) == []
        SkillFactory(status="published")
        Skill.objects.update(title="Another")
        connection.check_constraints()  # Run deferred checks now.
        for migration, state in steps:
            with connection.schema_editor() as editor:
                migration.apply(state.clone(), editor)
        assert functions_of(app) == functions
        transaction.set_rollback(True)


def functions_of(app):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regprocedure::text FROM pg_proc WHERE starts_with(proname, %s) ORDER BY 1",
            [f"{app}_"],
        )
        return cursor.fetchall()


def test_no_migration_is_missing(capsys):
    call_command("makemigrations", "--check", "--dry-run")

    assert "No changes detected" in capsys.readouterr().out
