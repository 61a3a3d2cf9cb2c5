"""GET /api/v1/agents/me for agents with many rows agrees with the models."""

import random
from datetime import UTC, datetime, timedelta
from operator import itemgetter

import pytest

from catalogue.models import Persona, Skill, Status
from marketplace.api.fields import timestamp
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

ODD = ['quote " and \\ / back', "tab\tnewline\n", "emoji 🦜 and é", "<b>&amp;</b>", "%(agent)s"]


def identity(entry, kind):
    return {f"{kind}Id": entry.public_id, "slug": entry.slug, "title": entry.title}


def deprecation_of(entry):
    if not entry.deprecation_message:
        return None
    successor = entry.successor
    is_shown = successor is not None and successor.is_published
    return {
        "message": entry.deprecation_message,
        "replacedBy": successor.slug if is_shown else None,
    }


def skill_of(install):
    return {
        **identity(install.skill, "skill"),
        "runtime": install.runtime,
        "installedAt": timestamp(install.installed_at),
        "deprecation": deprecation_of(install.skill),
    }


def persona_of(install):
    bundle = install.persona.skills.all()
    return {
        **identity(install.persona, "persona"),
        "isActive": install.is_active,
        "installedAt": timestamp(install.installed_at),
        "skills": sorted(skill.slug for skill in bundle if skill.status == Status.PUBLISHED),
        "deprecation": deprecation_of(install.persona),
    }


def advisories_of(skill_installs, persona_installs):
    personas = [install.persona for install in persona_installs]
    had = {
        *(install.skill for install in skill_installs),
        *(skill for persona in personas for skill in persona.skills.all()),
        *personas,
    }
    withdrawn = [entry for entry in had if entry.status == Status.WITHDRAWN]
    return [
        {
            "kind": entry._meta.model_name,
            "slug": entry.slug,
            "title": entry.title,
            "number": None,
            "reason": entry.withdrawal_reason,
            "withdrawnAt": timestamp(entry.withdrawn_at),
        }
        for entry in sorted(withdrawn, key=lambda entry: entry.withdrawn_at, reverse=True)
    ]


def updates_of(skill_installs, persona_installs):
    installs = [
        *((install, install.skill, "skill") for install in skill_installs),
        *((install, install.persona, "persona") for install in persona_installs),
    ]
    outdated = [
        (entry.updated_at, install, entry, kind)
        for install, entry, kind in installs
        if entry.is_published and entry.digest != install.installed_digest
    ]
    return [
        {
            "kind": kind,
            "slug": entry.slug,
            "version": entry.version,
            "digest": entry.digest,
            "installedDigest": install.installed_digest,
        }
        for _, install, entry, kind in sorted(outdated, key=itemgetter(0), reverse=True)
    ]


def profile(client):
    """The profile without the agent's own fields."""
    whole = client.get("/api/v1/agents/me").json()
    return {
        name: whole[name]
        for name in ("activePersona", "skills", "personas", "advisories", "updates", "counts")
    }


def profile_by_the_models(agent):
    skills = agent.skill_installs.order_by("-id").select_related("skill__successor")
    personas = agent.persona_installs.order_by("-id").select_related("persona__successor")
    personas = personas.prefetch_related("persona__skills")
    active = next((install for install in personas if install.is_active), None)
    return {
        "activePersona": active and identity(active.persona, "persona"),
        "skills": [skill_of(install) for install in list(skills)[:100]],
        "personas": [persona_of(install) for install in list(personas)[:100]],
        "advisories": advisories_of(skills, personas),
        "updates": updates_of(skills, personas)[:100],
        "counts": {
            "skills": len(skills),
            "personas": len(personas),
            "reviews": agent.reviews.count(),
        },
    }


@pytest.mark.parametrize("seed", range(4))
def test_it_says_what_the_models_say(client, agent, seed):
    chance = random.Random(seed)
    skills = [SkillFactory(title=chance.choice(ODD)) for _ in range(12)]
    personas = [
        PersonaFactory(skills=chance.sample(skills, chance.randint(0, 4))) for _ in range(8)
    ]
    for row in (agent, AgentFactory()):
        for skill in chance.sample(skills, 6):
            SkillInstallFactory(agent=row, skill=skill, runtime=chance.choice(ODD))
        active = chance.randint(0, 5)
        for number, persona in enumerate(chance.sample(personas, 5)):
            PersonaInstallFactory(agent=row, persona=persona, is_active=number == active)
            if chance.random() < 0.5:
                review(row, persona, 4)
    for entry in chance.sample([*skills, *personas], 6):
        entry.content = "Another text."
        entry.save()
    for entries in (skills, personas):
        *deprecated, successor = chance.sample(entries, 4)
        for entry in deprecated:
            entry.deprecate(chance.choice(ODD), chance.choice([successor, None]))
    for number, entry in enumerate(chance.sample([*skills, *personas], 10)):
        withdraw(entry, reason=chance.choice([*ODD, ""]), at=number)

    assert profile(client) == profile_by_the_models(agent)


@pytest.mark.contract("6.3")
def test_it_says_what_the_models_say_of_more_than_a_hundred_of_each(client, agent):
    skills = SkillFactory.create_batch(103)
    for number, skill in enumerate(skills):
        SkillInstallFactory(agent=agent, skill=skill)
        withdraw(skill, reason="Leaks.", at=number)
        PersonaInstallFactory(agent=agent, is_active=number == 0)
    # The oldest one, which is in no list, as a hundred newer ones fill it.
    withdraw(agent.persona_installs.earliest("pk").persona, reason="Leaks.", at=103)

    body = profile(client)

    assert [row["kind"] for row in body["advisories"]] == ["persona", *["skill"] * 103]
    assert body == profile_by_the_models(agent)


def test_more_queries_are_made_only_where_there_may_be_more_than_a_hundred(
    client, agent, django_assert_num_queries
):
    for more, installs, queries in ((99, 99, 1), (1, 100, 6)):
        for _ in range(more):
            SkillInstallFactory(agent=agent)
            PersonaInstallFactory(agent=agent)

        with django_assert_num_queries(queries):
            counts = profile(client)["counts"]
        assert counts == {"skills": installs, "personas": installs, "reviews": 0}


@pytest.mark.parametrize("has_it", ["itself", "with a persona", "as a persona"])
def test_something_withdrawn_costs_one_more_query(client, agent, has_it, django_assert_num_queries):
    persona = PersonaInstallFactory(
        agent=agent, persona__skills=[SkillFactory(), SkillFactory()]
    ).persona
    skill = SkillInstallFactory(agent=agent).skill
    bundled = persona.skills.first()
    entry = {"itself": skill, "with a persona": bundled, "as a persona": persona}[has_it]
    withdraw(entry, reason="Leaks.", at=0)

    with django_assert_num_queries(2):
        [advisory] = profile(client)["advisories"]
    assert advisory["slug"] == entry.slug


def withdraw(entry, *, reason, at):
    # Fractions of a second that rounding would change.
    withdrawn_at = datetime(2026, 1, 31, 9, 5, 59, 999_999, tzinfo=UTC) + timedelta(seconds=at)
    kind = Skill if isinstance(entry, Skill) else Persona
    kind.objects.filter(pk=entry.pk).update(
        status=Status.WITHDRAWN, withdrawal_reason=reason, withdrawn_at=withdrawn_at
    )
