"""Filling the demo with activity: the same each time, all or nothing, only in its catalogue."""

import pytest
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from demo import activity
from demo.__main__ import refuse_other_version
from demo.postgres import CHECKOUT
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.factories import SkillFactory
from tests.imports import import_personas, import_skills
from tests.live import url_of_test_database

DEMO = CHECKOUT / "demo"


@pytest.fixture
def catalogue(db):
    import_skills(DEMO / "skills", source="demo")
    import_personas(DEMO / "personas", source="demo")


def drawn():
    """Everything that agents have and say after a filling, which is rolled back."""
    with transaction.atomic():
        activity.fill()
        rows = [
            *SkillInstall.objects.present().values_list("agent__handle", "skill__slug"),
            *PersonaInstall.objects.values_list("agent__handle", "persona__slug", "is_active"),
            *Review.objects.values_list("agent__handle", "persona__slug", "rating"),
        ]
        transaction.set_rollback(True)
    return sorted(rows)


@pytest.mark.slow
def test_it_is_the_same_each_time(catalogue):
    assert drawn() == drawn()


def test_one_that_was_stopped_leaves_nothing_behind(catalogue, monkeypatch):
    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(activity.Activity, "deprecate", stop)

    with pytest.raises(KeyboardInterrupt):
        activity.fill()

    assert not Agent.objects.exists()
    assert not Persona.objects.exclude(rating_count=0).exists()


def test_a_catalogue_of_another_source_gets_no_agents(db, capsys):
    SkillFactory()

    activity.fill()

    assert capsys.readouterr().out == ""
    assert not Agent.objects.exists()
    assert not AgentToken.objects.exists()
    assert Skill.objects.get().downloads == 0


@pytest.fixture
def demo_database(transactional_db, monkeypatch):
    """The tests' database in the role of the demo's."""
    monkeypatch.setenv("DATABASE_URL", url_of_test_database())


@pytest.fixture
def migration_of_another_version(demo_database):
    rows = MigrationRecorder(connection).migration_qs
    rows.create(app="catalogue", name="0002_skill_md")
    yield
    rows.filter(app="catalogue", name="0002_skill_md").delete()


def test_a_database_of_this_version_is_used(demo_database):
    refuse_other_version()


@pytest.mark.parametrize("url", ["mysql://name:secret@host/x", "postgres://127.0.0.1:1/x"])
def test_the_command_reports_a_wrong_database_url(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)

    refuse_other_version()


@pytest.mark.usefixtures("migration_of_another_version")
def test_a_database_of_another_version_is_refused_with_a_way_out():
    with pytest.raises(SystemExit) as refused:
        refuse_other_version()

    assert str(refused.value) == (
        "This database was made by another version of the marketplace: this checkout has no "
        "migration catalogue.0002_skill_md.\n"
        "Remove the folder .demo/postgres, or set DATABASE_URL to an empty database. Then run "
        "`make demo`,\nwhich fills a new one. The data of the old one cannot be converted."
    )
