"""An install by one statement does what the install step by step does, or nothing at all."""

import pytest
from django.db import transaction
from django.forms import model_to_dict
from rest_framework.exceptions import APIException

from catalogue.models import Persona, Skill, Status
from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)


def nothing(_agent):
    """The usual case: nothing is in the way."""


def unknown(_agent):
    Skill.objects.all().delete()
    Persona.objects.all().delete()


def withdrawn(_agent):
    Skill.objects.update(status=Status.WITHDRAWN)
    Persona.objects.update(status=Status.WITHDRAWN)


def draft(_agent):
    Skill.objects.update(status=Status.DRAFT)
    Persona.objects.update(status=Status.DRAFT)


def suspended(agent):
    type(agent).objects.get(pk=agent.pk).suspend()


def installed(agent):
    SkillInstallFactory(agent=agent, skill=Skill.objects.get())
    PersonaInstallFactory(agent=agent, persona=Persona.objects.get())


def priced(_agent):
    Persona.objects.update(price_cents=1)


def installed_and_priced(agent):
    installed(agent)
    priced(agent)


def installed_and_withdrawn(agent):
    installed(agent)
    withdrawn(agent)


def another_is_active(agent):
    PersonaInstallFactory(agent=agent, persona__slug="other", is_active=True)


def another_agent_has_it(_agent):
    SkillInstallFactory(skill=Skill.objects.get())
    PersonaInstallFactory(persona=Persona.objects.get(), is_active=True)


SITUATIONS = [
    nothing,
    unknown,
    withdrawn,
    draft,
    suspended,
    installed,
    priced,
    installed_and_priced,
    installed_and_withdrawn,
    another_is_active,
    another_agent_has_it,
]


def result_of(install, agent, option):
    """What is returned or raised, and what the database holds then; all of it is undone."""
    with transaction.atomic():
        try:
            made = install(agent, "wanted", option)
        except APIException as error:
            made, outcome = None, repr(error)
        else:
            outcome = made and shown(made)
        rows = [
            *SkillInstall.objects.order_by("agent", "skill").values("agent", "skill", "runtime"),
            *PersonaInstall.objects.order_by("agent", "persona").values(
                "agent", "persona", "is_active"
            ),
            *Skill.objects.order_by("pk").values("pk", "downloads"),
            *Persona.objects.order_by("pk").values("pk", "installs"),
        ]
        if made is not None:
            stored = type(made).objects.get(pk=made.pk)
            assert model_to_dict(stored, exclude="id") == model_to_dict(made, exclude="id")
            assert stored.installed_at is not None
        transaction.set_rollback(True)
    return outcome, rows


def shown(install):
    entry = getattr(install, "skill", None) or install.persona
    return entry.pk, entry.public_id, entry.slug


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
@pytest.mark.parametrize(
    ("objects", "option"),
    [
        (SkillInstall.objects, "python"),
        (PersonaInstall.objects, True),
        (PersonaInstall.objects, False),
    ],
    ids=["skill", "persona to activate", "persona"],
)
def test_both_ways_come_to_the_same(agent, objects, option, situation):
    SkillFactory(slug="wanted")
    PersonaFactory(slug="wanted")
    situation(agent)
    before = result_of(lambda *_: None, agent, option)

    at_once = result_of(objects.install_at_once, agent, option)
    stepwise = result_of(objects.install_stepwise, agent, option)
    together = result_of(
        lambda agent, slug, option: (
            objects.install_at_once(agent, slug, option)
            or objects.install_stepwise(agent, slug, option)
        ),
        agent,
        option,
    )

    assert together == stepwise
    assert at_once in (stepwise, before)
    assert (at_once == stepwise) == (stepwise[1] != before[1])
