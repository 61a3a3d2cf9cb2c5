"""Races end in the specified answer: real threads, two server processes, real PostgreSQL."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from threading import Barrier

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
from tests.system.scale import scale

ROUNDS = scale(short=3, long=200)
CROWDS = (16, 32, 48)  # requests at the same moment, in turn
SKILL = "/api/v1/agents/me/skills/install"
PERSONA = "/api/v1/agents/me/personas/install"
REVIEW = "/api/v1/agents/me/reviews"
REGISTER = "/api/v1/agents/register"
LIMITS = {
    "RATE_LIMIT_REGISTER": "1000000/h",
    "RATE_LIMIT_REVIEW": "1000000/h",
    "RATE_LIMIT_INSTALL": "free=1000000/h,slow=10/d",
}


def rounds(number=ROUNDS):
    """The size of the crowd in each round."""
    return islice(cycle(CROWDS), number)


@pytest.fixture
def together(live_server_of):
    """Send requests at the same moment; returns the answers in their order."""
    server = live_server_of(**LIMITS)

    def together(requests):
        barrier = Barrier(len(requests))

        def send(request):
            method, path, body, agent = request
            barrier.wait()
            return server.request(method, path, body, token=agent and agent.token.text)

        with ThreadPoolExecutor(len(requests)) as pool:
            answers = list(pool.map(send, requests))
        assert all(answer.status < 500 for answer in answers), [a.body for a in answers]
        return answers

    together.server = server
    return together


def statuses(answers):
    return Counter(answer.status for answer in answers)


def test_one_skill_is_installed_once_by_one_agent(together):
    agent = AgentFactory()
    for parallel in rounds():
        skill = SkillFactory()

        answers = together([("POST", SKILL, {"slug": skill.slug}, agent)] * parallel)

        assert statuses(answers) == {201: 1, 409: parallel - 1}
        skill.refresh_from_db()
        assert skill.downloads == skill.agent_installs.count() == 1


def test_many_agents_on_one_skill_are_all_counted(together):
    agents = AgentFactory.create_batch(max(CROWDS))
    for parallel in rounds():
        skill = SkillFactory()

        answers = together(
            [("POST", SKILL, {"slug": skill.slug}, agent) for agent in agents[:parallel]]
        )

        assert statuses(answers) == {201: parallel}
        skill.refresh_from_db()
        assert skill.downloads == skill.agent_installs.count() == parallel


def test_one_persona_is_installed_once_by_one_agent(together):
    agent = AgentFactory()
    for parallel in rounds():
        persona = PersonaFactory()

        answers = together(
            [("POST", PERSONA, {"slug": persona.slug, "setActive": True}, agent)] * parallel
        )

        assert statuses(answers) == {201: 1, 409: parallel - 1}
        persona.refresh_from_db()
        assert persona.installs == persona.agent_installs.count() == 1


def test_personas_activated_together_leave_one_active(together):
    for parallel in rounds():
        agent = AgentFactory()
        personas = PersonaFactory.create_batch(parallel)

        answers = together(
            [("POST", PERSONA, {"slug": p.slug, "setActive": True}, agent) for p in personas]
        )

        assert statuses(answers) == {201: parallel}
        assert all(answer.json()["isActive"] for answer in answers)
        assert agent.persona_installs.filter(is_active=True).count() == 1
        assert agent.persona_installs.count() == parallel


def test_first_reviews_together_make_one_review(together):
    agent = AgentFactory()
    for parallel in rounds():
        persona = PersonaInstallFactory(agent=agent).persona

        answers = together(
            [
                ("POST", REVIEW, {"personaSlug": persona.slug, "rating": 1 + number % 5}, agent)
                for number in range(parallel)
            ]
        )

        assert statuses(answers) == {201: 1, 200: parallel - 1}
        assert len({answer.json()["reviewId"] for answer in answers}) == 1
        persona.refresh_from_db()
        assert persona.rating_count == 1
        assert persona.rating_sum == Review.objects.get(persona=persona).rating


def test_reviews_of_many_agents_add_up(together):
    persona = PersonaFactory()
    agents = [PersonaInstallFactory(persona=persona).agent for _ in range(max(CROWDS))]
    for parallel in rounds():
        random.shuffle(agents)
        together(
            [
                ("POST", REVIEW, {"personaSlug": persona.slug, "rating": 1 + n % 5}, agent)
                for n, agent in enumerate(agents[:parallel])
            ]
        )

        persona.refresh_from_db()
        assert persona.rating_count == Review.objects.count()
        assert persona.rating_sum == sum(Review.objects.values_list("rating", flat=True))


def test_a_handle_is_taken_once(together):
    for number, parallel in enumerate(rounds(), start=1):
        answers = together([("POST", REGISTER, {"handle": f"wanted-{number}"}, None)] * parallel)

        assert statuses(answers) == {201: 1, 409: parallel - 1}
        assert Agent.objects.count() == AgentToken.objects.count() == number


def test_made_handles_give_way_to_each_other(together):
    for number, parallel in enumerate(rounds()):
        answers = together([("POST", REGISTER, {"name": f"Same {number}"}, None)] * parallel)

        assert statuses(answers) == {201: parallel}
        assert len({answer.json()["handle"] for answer in answers}) == parallel


def test_the_limiter_lets_its_number_through_and_no_more(together):
    for parallel in rounds():
        agent = AgentFactory(tier="slow")

        answers = together([("POST", SKILL, {"slug": "unknown"}, agent)] * parallel)

        assert statuses(answers) == {404: 10, 429: parallel - 10}


def wait_for(rows):
    """Until the first of them is there: the others are under way then."""
    deadline = time.monotonic() + 10
    while not rows.exists() and time.monotonic() < deadline:
        time.sleep(0.0005)


def test_a_price_given_meanwhile_is_never_installed_past(together):
    """Every install that was answered 201 was counted while the persona was free."""
    for parallel in rounds():
        persona = PersonaFactory()
        agents = AgentFactory.create_batch(parallel)

        with ThreadPoolExecutor(1) as staff:
            pricing = staff.submit(price_and_count, persona.pk)
            answers = together([("POST", PERSONA, {"slug": persona.slug}, a) for a in agents])
            installed_when_priced = pricing.result()

        persona.refresh_from_db()
        assert set(statuses(answers)) <= {201, 402}
        assert statuses(answers)[201] == persona.installs == persona.agent_installs.count()
        assert persona.installs == installed_when_priced


def price_and_count(pk):
    try:
        wait_for(PersonaInstall.objects.filter(persona=pk))
        Persona.objects.filter(pk=pk).update(price_cents=500)
        return Persona.objects.get(pk=pk).installs
    finally:
        connection.close()


def test_nothing_is_installed_after_a_suspension(together):
    for parallel in rounds():
        agent = AgentFactory()
        skills = SkillFactory.create_batch(parallel)

        with ThreadPoolExecutor(1) as staff:
            suspending = staff.submit(suspend_and_count, agent.pk)
            answers = together([("POST", SKILL, {"slug": s.slug}, agent) for s in skills])
            installed_when_suspended = suspending.result()

        assert set(statuses(answers)) <= {201, 401}
        assert statuses(answers)[201] == agent.skill_installs.count() == installed_when_suspended
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


def test_reviews_that_staff_hide_while_agents_change_them_leave_true_averages(together):
    persona, agents = PersonaFactory(), AgentFactory.create_batch(max(CROWDS))
    reviews = [review(agent, persona, 3).pk for agent in agents]
    for number in range(ROUNDS):
        body = {"personaSlug": persona.slug, "rating": 1 + number % 5}

        with ThreadPoolExecutor(2) as staff:
            moderating = [staff.submit(hide_and_restore, pks) for pks in (reviews, reviews[::-1])]
            answers = together([("POST", REVIEW, body, agent) for agent in agents])
            assert [each.result() for each in moderating] == [None, None]

        assert statuses(answers) == {200: max(CROWDS)}
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


def test_every_kind_of_write_at_once_ends_without_a_deadlock(together):
    skills, personas = SkillFactory.create_batch(ROUNDS), PersonaFactory.create_batch(ROUNDS + 1)
    agents = AgentFactory.create_batch(4)
    for agent in agents:
        PersonaInstallFactory(agent=agent, persona=personas[0])

    for number in range(ROUNDS):
        persona, skill = personas[number + 1], skills[number]
        answers = together(
            [
                request
                for agent in agents
                for request in (
                    ("POST", SKILL, {"slug": skill.slug}, agent),
                    ("POST", PERSONA, {"slug": persona.slug, "setActive": True}, agent),
                    ("POST", REVIEW, {"personaSlug": personas[0].slug, "rating": 3}, agent),
                    ("PATCH", "/api/v1/agents/me", {"name": f"Round {number}"}, agent),
                )
            ]
        )
        assert set(statuses(answers)) <= {200, 201}

    assert PersonaInstall.objects.filter(is_active=True).count() == len(agents)
    assert {p.installs for p in Persona.objects.exclude(pk=personas[0].pk)} == {len(agents)}
