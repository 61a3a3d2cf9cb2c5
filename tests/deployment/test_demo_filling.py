"""Filling the demo with activity: alike each time, all or nothing, and no other catalogue."""

import pytest
from django.db import transaction

from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from demo import activity
from demo.postgres import CHECKOUT
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.factories import SkillFactory
from tests.imports import import_personas, import_skills

DEMO = CHECKOUT / "demo"


@pytest.fixture
def catalogue(db):
    import_skills(DEMO / "skills", source="demo")
    import_personas(DEMO / "personas", source="demo")


def drawn():
    """Who has what and says what, after filling a database that is empty again afterwards."""
    with transaction.atomic():
        activity.fill()
        rows = [
            *SkillInstall.objects.present().values_list("agent__handle", "skill__slug"),
            *PersonaInstall.objects.values_list("agent__handle", "persona__slug", "is_active"),
            *Review.objects.values_list("agent__handle", "persona__slug", "rating"),
        ]
        transaction.set_rollback(True)
    return sorted(rows)


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
