"""Races end in the specified response: real threads, two server processes, real PostgreSQL."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    review,
)
from tests.system.races import CONCURRENCY, ME, ROUNDS, rounds, statuses, wait_for

SKILL, PERSONA, REVIEW = f"{ME}/skills/install", f"{ME}/personas/install", f"{ME}/reviews"
REGISTER = "/api/v1/agents/register"


@pytest.mark.contract("9.10")
def test_one_skill_is_installed_once_by_one_agent(concurrently):
    agent = AgentFactory()
    for parallel in rounds():
        skill = SkillFactory()

        responses = concurrently([("POST", SKILL, {"slug": skill.slug}, agent)] * parallel)

        assert statuses(responses) == {201: 1, 409: parallel - 1}
        skill.refresh_from_db()
        assert skill.downloads == skill.agent_installs.count() == 1


@pytest.mark.contract("9.4")
def test_many_agents_on_one_skill_are_all_counted(concurrently):
    agents = AgentFactory.create_batch(max(CONCURRENCY))
    for parallel in rounds():
        skill = SkillFactory()

        responses = concurrently(
            [("POST", SKILL, {"slug": skill.slug}, agent) for agent in agents[:parallel]]
        )

        assert statuses(responses) == {201: parallel}
        skill.refresh_from_db()
        assert skill.downloads == skill.agent_installs.count() == parallel


@pytest.mark.contract("9.10")
def test_one_persona_is_installed_once_by_one_agent(concurrently):
    agent = AgentFactory()
    for parallel in rounds():
        persona = PersonaFactory()

        responses = concurrently(
            [("POST", PERSONA, {"slug": persona.slug, "setActive": True}, agent)] * parallel
        )

        assert statuses(responses) == {201: 1, 409: parallel - 1}
        persona.refresh_from_db()
        assert persona.installs == persona.agent_installs.count() == 1


@pytest.mark.contract("9.6")
def test_personas_activated_concurrently_leave_one_active(concurrently):
    for parallel in rounds():
        agent = AgentFactory()
        personas = PersonaFactory.create_batch(parallel)

        responses = concurrently(
            [("POST", PERSONA, {"slug": p.slug, "setActive": True}, agent) for p in personas]
        )

        assert statuses(responses) == {201: parallel}
        assert all(response.json()["isActive"] for response in responses)
        assert agent.persona_installs.filter(is_active=True).count() == 1
        assert agent.persona_installs.count() == parallel


@pytest.mark.contract("10.2")
def test_concurrent_first_reviews_make_one_review(concurrently):
    agent = AgentFactory()
    for parallel in rounds():
        persona = PersonaInstallFactory(agent=agent).persona

        responses = concurrently(
            [
                ("POST", REVIEW, {"personaSlug": persona.slug, "rating": 1 + number % 5}, agent)
                for number in range(parallel)
            ]
        )

        assert statuses(responses) == {201: 1, 200: parallel - 1}
        assert len({response.json()["reviewId"] for response in responses}) == 1
        persona.refresh_from_db()
        assert persona.rating_count == 1
        assert persona.rating_sum == Review.objects.get(persona=persona).rating


@pytest.mark.contract("10.3")
def test_reviews_of_many_agents_add_up(concurrently):
    persona = PersonaFactory()
    agents = [PersonaInstallFactory(persona=persona).agent for _ in range(max(CONCURRENCY))]
    for parallel in rounds():
        random.shuffle(agents)
        concurrently(
            [
                ("POST", REVIEW, {"personaSlug": persona.slug, "rating": 1 + n % 5}, agent)
                for n, agent in enumerate(agents[:parallel])
            ]
        )

        persona.refresh_from_db()
        assert persona.rating_count == Review.objects.count()
        assert persona.rating_sum == sum(Review.objects.values_list("rating", flat=True))


@pytest.mark.contract("5.3")
def test_a_handle_is_taken_once(concurrently):
    for number, parallel in enumerate(rounds(), start=1):
        responses = concurrently(
            [("POST", REGISTER, {"handle": f"wanted-{number}"}, None)] * parallel
        )

        assert statuses(responses) == {201: 1, 409: parallel - 1}
        assert Agent.objects.count() == AgentToken.objects.count() == number


@pytest.mark.contract("5.4")
def test_generated_handles_are_unique(concurrently):
    for number, parallel in enumerate(rounds()):
        responses = concurrently([("POST", REGISTER, {"name": f"Same {number}"}, None)] * parallel)

        assert statuses(responses) == {201: parallel}
        assert len({response.json()["handle"] for response in responses}) == parallel


@pytest.mark.contract("11.8")
def test_the_limiter_accepts_exactly_the_limit(concurrently):
    for parallel in rounds():
        agent = AgentFactory(tier="slow")

        responses = concurrently([("POST", SKILL, {"slug": "unknown"}, agent)] * parallel)

        assert statuses(responses) == {404: 10, 429: parallel - 10}


@pytest.mark.contract("9.10")
def test_no_install_succeeds_after_a_concurrent_change_of_price(concurrently):
    """Every install that got 201 was counted while the persona was free."""
    for parallel in rounds():
        persona = PersonaFactory()
        agents = AgentFactory.create_batch(parallel)

        with ThreadPoolExecutor(1) as staff:
            pricing = staff.submit(price_and_count, persona.pk)
            responses = concurrently([("POST", PERSONA, {"slug": persona.slug}, a) for a in agents])
            installed_when_priced = pricing.result()

        persona.refresh_from_db()
        assert set(statuses(responses)) <= {201, 402}
        assert statuses(responses)[201] == persona.installs == persona.agent_installs.count()
        assert persona.installs == installed_when_priced


def price_and_count(pk):
    try:
        wait_for(PersonaInstall.objects.filter(persona=pk))
        Persona.objects.filter(pk=pk).update(price_cents=500)
        return Persona.objects.get(pk=pk).installs
    finally:
        connection.close()


@pytest.mark.contract("9.10")
def test_nothing_is_installed_after_a_suspension(concurrently):
    for parallel in rounds():
        agent = AgentFactory()
        skills = SkillFactory.create_batch(parallel)

        with ThreadPoolExecutor(1) as staff:
            suspending = staff.submit(suspend_and_count, agent.pk)
            responses = concurrently([("POST", SKILL, {"slug": s.slug}, agent) for s in skills])
            installed_when_suspended = suspending.result()

        assert set(statuses(responses)) <= {201, 401}
        assert statuses(responses)[201] == agent.skill_installs.count() == installed_when_suspended
        assert (
            sum(Skill.objects.values_list("downloads", flat=True)) == SkillInstall.objects.count()
        )


def suspend_and_count(pk):
    try:
        wait_for(SkillInstall.objects.filter(agent=pk))
        Agent.objects.get(pk=pk).suspend()
        return SkillInstall.objects.filter(agent=pk).count()
    finally:
        connection.close()


def test_reviews_that_staff_hide_while_agents_change_them_leave_true_averages(concurrently):
    persona, agents = PersonaFactory(), AgentFactory.create_batch(max(CONCURRENCY))
    reviews = [review(agent, persona, 3).pk for agent in agents]
    for number in range(ROUNDS):
        body = {"personaSlug": persona.slug, "rating": 1 + number % 5}

        with ThreadPoolExecutor(2) as staff:
            moderating = [staff.submit(hide_and_restore, pks) for pks in (reviews, reviews[::-1])]
            responses = concurrently([("POST", REVIEW, body, agent) for agent in agents])
            assert [future.result() for future in moderating] == [None, None]

        assert statuses(responses) == {200: max(CONCURRENCY)}
        counted = Persona.objects.with_true_counts().get()
        assert counted.rating_sum == counted.true_rating_sum
        assert counted.rating_count == counted.true_rating_count


def hide_and_restore(pks):
    try:
        for pk in pks:
            Review.objects.get(pk=pk).hide("Advertising.")
        for pk in pks[::2]:
            Review.objects.get(pk=pk).restore()
    finally:
        connection.close()


def test_concurrent_writes_of_every_kind_do_not_deadlock(concurrently):
    skills, personas = SkillFactory.create_batch(ROUNDS), PersonaFactory.create_batch(ROUNDS + 1)
    agents = AgentFactory.create_batch(4)
    for agent in agents:
        PersonaInstallFactory(agent=agent, persona=personas[0])

    for number in range(ROUNDS):
        persona, skill = personas[number + 1], skills[number]
        responses = concurrently(
            [
                request
                for agent in agents
                for request in (
                    ("POST", SKILL, {"slug": skill.slug}, agent),
                    ("POST", PERSONA, {"slug": persona.slug, "setActive": True}, agent),
                    ("POST", REVIEW, {"personaSlug": personas[0].slug, "rating": 3}, agent),
                    ("PATCH", ME, {"name": f"Round {number}"}, agent),
                )
            ]
        )
        assert set(statuses(responses)) <= {200, 201}

    assert PersonaInstall.objects.filter(is_active=True).count() == len(agents)
    assert {p.installs for p in Persona.objects.exclude(pk=personas[0].pk)} == {len(agents)}
