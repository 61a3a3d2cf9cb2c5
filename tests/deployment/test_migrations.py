"""A migration that the running release could not work with is refused, and the rest are not."""

import re
from datetime import UTC, timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.postgres.operations import NotInTransactionMixin
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from django_migration_linter.management.commands.lintmigrations import Command as Linter

from catalogue.models import Change, FacetCount, PersonaPosting, Skill, SkillPosting
from catalogue.search.reads import most_common
from demo.postgres import CHECKOUT
from installs.models import PersonaDay, SkillDay
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
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
    # `migrate` sets them no lock timeout, and could not repeat a half of them.
    own = {app.label for app in apps.get_app_configs() if Path(app.path).parent == CHECKOUT}
    loose = [
        str(migration)
        for migration in MigrationLoader(None).disk_migrations.values()
        if migration.app_label in own
        and not migration.atomic
        and not all(isinstance(it, NotInTransactionMixin) for it in migration.operations)
    ]

    assert loose == []


def test_tokens_of_the_previous_release_get_identifiers_of_their_own():
    agent = AgentFactory()
    insert = (
        "INSERT INTO agents_agenttoken (agent_id, digest, hint, scopes, created_at) "
        "SELECT %s, md5(random()::text), '', '{read}', now() FROM generate_series(1, 1500)"
    )
    try:
        call_command("migrate", "agents", "0001", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute(insert, [agent.pk])
            call_command("migrate", "agents", "0002", verbosity=0)
            cursor.execute(insert, [agent.pk])
    finally:
        call_command("migrate", verbosity=0)

    identifiers = agent.tokens.values_list("public_id", flat=True)
    assert len(set(identifiers)) == len(identifiers) == 3001
    assert all(re.fullmatch("token_[0-9a-f]{32}", each) for each in identifiers)


def test_the_words_of_categories_are_found_that_were_there_before(anyone, capsys):
    SkillFactory(slug="held", title="Security of Lifestyles", category="lifestyle")
    SkillFactory(slug="edited", category="lifestyle")
    SkillFactory(slug="withdrawn", category="lifestyle", status="withdrawn")
    PersonaFactory(slug="keeper", category="lifestyle")
    for posting in (SkillPosting, PersonaPosting):
        posting.objects.exclude(entry_id=Skill.objects.get(slug="held").pk).filter(
            word="lifestyl"
        ).delete()
        posting.objects.filter(word="lifestyl").update(impact=1)
    FacetCount.objects.filter(value__in=["lifestyl", "lifestyle"]).exclude(
        facet="category"
    ).delete()
    Skill.objects.filter(slug="edited").update(title="Another")
    assert anyone.get("/api/v1/skills?q=lifestyle").json()["count"] < 2

    for statement in ("FILL", "COUNT", "FILL", "COUNT"):
        run_statement("0014_category_postings", statement)

    found = anyone.get("/api/v1/skills?q=lifestyle").json()["results"]
    assert [row["slug"] for row in found] == ["held", "edited"]
    assert anyone.get("/api/v1/personas?q=lifestyle").json()["count"] == 1
    call_command("rebuild_search")
    assert capsys.readouterr().out == (
        "skills: the index and the counts are true.\npersonas: the index and the counts are true.\n"
    )


def test_no_migration_is_missing(capsys):
    call_command("makemigrations", "--check", "--dry-run")

    assert "No changes detected" in capsys.readouterr().out


def run_statement(migration, name, app="catalogue"):
    """A statement that a migration runs for both kinds of entry, run again."""
    statement = getattr(import_module(f"{app}.migrations.{migration}"), name)
    with connection.cursor() as cursor:
        for kind in ("skill", "persona"):
            cursor.execute(statement.format(kind=kind))


def test_the_feed_begins_with_all_that_is_published():
    entries = [*SkillFactory.create_batch(3), *PersonaFactory.create_batch(2)]
    SkillFactory(status="draft")
    first, known = entries[0], Change.objects.get(slug=entries[-1].slug)
    Change.objects.exclude(pk=known.pk).delete()

    run_statement("0012_changes_so_far", "FILL")

    assert Change.objects.count() == len(entries)
    begun = Change.objects.get(slug=first.slug)
    assert (begun.kind, begun.entry_id, begun.change) == ("skill", first.pk, "published")
    assert (begun.digest, begun.changed_at) == (first.digest, first.updated_at)
    assert Change.objects.get(slug=known.slug).changed_at == known.changed_at


def test_licenses_are_counted_that_were_there_before():
    SkillFactory.create_batch(2, license="MIT")
    PersonaFactory(license="ISC")
    FacetCount.objects.filter(facet="license").delete()
    SkillFactory(license="MIT")

    run_statement("0006_license_counts", "COUNT")

    assert most_common("skill", ["license"]).value == [("license", "MIT", 3)]
    assert most_common("persona", ["license"]).value == [("license", "ISC", 1)]


def test_installs_are_counted_on_their_days_that_were_there_before():
    now = timezone.now()
    installs = [SkillInstallFactory() for _ in range(4)] + [PersonaInstallFactory()]
    for install, days in zip(installs, (0, 3, 84, 90, 3), strict=True):
        type(install).objects.filter(pk=install.pk).update(installed_at=now - timedelta(days=days))
    again = SkillInstallFactory(skill=installs[0].skill)

    for _ in range(2):
        run_statement("0007_days_so_far", "FILL", app="installs")

    days = {(day.skill, day.day): day.installs for day in SkillDay.objects.select_related("skill")}
    today = now.astimezone(UTC).date()
    assert days == {
        (again.skill, today): 2,
        (installs[1].skill, today - timedelta(days=3)): 1,
        (installs[2].skill, today - timedelta(days=84)): 1,
    }
    assert PersonaDay.objects.get().day == today - timedelta(days=3)
    SkillInstallFactory(skill=again.skill)
    assert SkillDay.objects.get(skill=again.skill).installs == 3
