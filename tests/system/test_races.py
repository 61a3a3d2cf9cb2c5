"""Races between server processes that no single transaction shows.

They are counters, unique names, the caches of two processes, and deadlocks. A write that waits for
one other write is tested step by step in tests/api/test_concurrent_*.py.
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from agents.models import Agent, AgentToken
from installs.models import PersonaInstall
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)
from tests.system.races import CONCURRENCY, LIMITS, ME, ROUNDS, rounds, statuses

pytestmark = pytest.mark.both_modes

SKILL, REVIEWS, REGISTER = f"{ME}/skills/install", f"{ME}/reviews", "/api/v1/agents/register"
TOKENS, LEAKED = f"{ME}/tokens", "/api/v1/tokens/revoke"


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


@pytest.mark.contract("10.3")
def test_reviews_of_many_agents_add_up(concurrently):
    persona = PersonaFactory()
    agents = [PersonaInstallFactory(persona=persona).agent for _ in range(max(CONCURRENCY))]
    for parallel in rounds():
        random.shuffle(agents)
        concurrently(
            [
                ("POST", REVIEWS, {"personaSlug": persona.slug, "rating": 1 + n % 5}, agent)
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


@pytest.mark.contract("13.12")
@pytest.mark.parametrize("chosen", ["the persona", "its skill", "an own skill"])
def test_no_manifest_has_the_text_of_a_withdrawn_entry(live_server_of, chosen):
    """A withdrawn entry is always in the manifest or among its advisories."""
    server = live_server_of(**LIMITS)
    for _ in range(ROUNDS):
        agent, bundled = AgentFactory(), SkillFactory()
        own = SkillInstallFactory(agent=agent).skill
        persona = PersonaFactory(skills=[bundled])
        PersonaInstall.objects.install(agent, persona.slug, activate=True)
        entry = {"the persona": persona, "its skill": bundled, "an own skill": own}[chosen]
        withdrawn = Event()

        def read(agent=agent, withdrawn=withdrawn):
            """Manifests until one was requested after it was withdrawn; with whether it was."""
            manifests = []
            while not manifests or not manifests[-1][0]:
                is_after = withdrawn.is_set()
                response = server.request("GET", f"{ME}/manifest", token=agent.token.text)
                assert response.status == 200
                manifests.append((is_after, response.json()))
            return manifests

        with ThreadPoolExecutor(8) as pool:
            readers = [pool.submit(read) for _ in range(8)]
            try:
                time.sleep(random.uniform(0, 0.05))
                entry.recall("Broken.")
            finally:
                withdrawn.set()
            manifests = [manifest for reader in readers for manifest in reader.result()]

        for is_after, manifest in manifests:
            loaded = [
                row["slug"] for row in (manifest["activePersona"], *manifest["skills"]) if row
            ]
            told = [advisory["slug"] for advisory in manifest["advisories"]]
            assert entry.slug in loaded + told
            assert not is_after or entry.slug not in loaded


@pytest.mark.contract("14.3")
def test_no_list_has_a_review_after_it_was_deleted(live_server_of):
    server = live_server_of(**LIMITS)
    for _ in range(ROUNDS):
        agent, persona, deleted = AgentFactory(), PersonaFactory(), Event()
        review(agent, persona, 5)

        def read(persona=persona, deleted=deleted):
            """Lists until one was requested after the deletion; with whether it was."""
            lists = []
            while not lists or not lists[-1][0]:
                is_after = deleted.is_set()
                path = f"/api/v1/personas/{persona.slug}/reviews"
                lists.append((is_after, server.request("GET", path).json()))
            return lists

        with ThreadPoolExecutor(8) as pool:
            readers = [pool.submit(read) for _ in range(8)]
            try:
                path, token = f"{REVIEWS}/{persona.slug}", agent.token.text
                assert server.request("DELETE", path, token=token).status == 200
            finally:
                deleted.set()
            lists = [entry for reader in readers for entry in reader.result()]

        for is_after, body in lists:
            assert body["count"] == len(body["results"])
            assert not is_after or body["count"] == 0


def test_writes_of_tokens_do_not_deadlock(concurrently):
    for _ in range(ROUNDS):
        agent = AgentFactory()
        others = [AgentToken.objects.issue(agent) for _ in range(4)]
        callers = [agent, *(SimpleNamespace(token=token) for token in others)]
        skills = SkillFactory.create_batch(5)
        requests = [
            request
            for caller, other, skill in zip(callers, callers[1:] + callers[:1], skills, strict=True)
            for request in (
                ("POST", TOKENS, {"expiresInDays": 1}, caller),
                ("POST", f"{TOKENS}/rotate", {"graceSeconds": random.choice([0, 600])}, caller),
                ("DELETE", f"{TOKENS}/{other.token.public_id}", None, caller),
                ("POST", LEAKED, {"token": other.token.text}, None),
                ("POST", SKILL, {"slug": skill.slug}, caller),
                ("GET", TOKENS, None, caller),
            )
        ]
        random.shuffle(requests)

        responses = concurrently(requests)

        assert set(statuses(responses)) <= {200, 201, 401, 403, 404, 409}
        assert agent.tokens.usable().count() <= AgentToken.MAX_USABLE


def test_writes_of_every_kind_and_staff_do_not_deadlock(concurrently):
    agents = AgentFactory.create_batch(4)
    skills, personas = SkillFactory.create_batch(2), PersonaFactory.create_batch(2)
    for number in range(ROUNDS):
        requests = [
            *(
                ("POST", f"{ME}/{kind}/{verb}", {"slug": random.choice(entries).slug}, agent)
                for agent in agents
                for kind, entries in (("skills", skills), ("personas", personas))
                for verb in ["install", "uninstall", "update"] * 2
            ),
            *(
                ("POST", f"{ME}/personas/{verb}", {"slug": random.choice(personas).slug}, agent)
                for agent in agents
                for verb in ("activate", "deactivate")
            ),
            *(
                ("POST", REVIEWS, {"personaSlug": random.choice(personas).slug, "rating": 3}, agent)
                for agent in agents
            ),
            *(("PATCH", ME, {"name": f"Round {number}"}, agent) for agent in agents),
        ]

        with ThreadPoolExecutor(3) as staff:
            editing = [staff.submit(edit, entries, number) for entries in (skills, personas)]
            editing.append(staff.submit(bundle, personas, skills))
            responses = concurrently(random.sample(requests, len(requests)))
            assert [future.result() for future in editing] == [None] * 3

        # A 400 is a review of what the agent has not installed.
        assert set(statuses(responses)) <= {200, 201, 400, 404, 409}
        active = PersonaInstall.objects.filter(is_active=True).values_list("agent", flat=True)
        assert len(active) == len({*active})
    assert statuses(responses)[404] < len(responses)
    call_command("recount")  # exits if a counter differs from its rows


def edit(entries, number):
    """Withdraw each, give it another text, and publish it again."""
    try:
        for entry in entries:
            entry.withdraw()
            entry.content = f"Text {number}."
            entry.save(update_fields=["content"])
            entry.publish()
    finally:
        connection.close()


def bundle(personas, skills):
    """Change each persona's bundle, again and again."""
    try:
        for number in range(20):
            with transaction.atomic():
                personas[number % 2].skills.set(skills[number // 2 % 2 :][:1])
    finally:
        connection.close()
