"""Races of uninstalling, switching, updating and reading end in the specified response."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.system.races import CONCURRENCY, LIMITS, ME, ROUNDS, rounds, statuses, wait_for

SKILL = SimpleNamespace(path=f"{ME}/skills", make=SkillFactory, model=Skill, installs=SkillInstall)
PERSONA = SimpleNamespace(
    path=f"{ME}/personas", make=PersonaFactory, model=Persona, installs=PersonaInstall
)
PERSONAS = f"{ME}/personas"
both_kinds = pytest.mark.parametrize("kind", [SKILL, PERSONA], ids=["skill", "persona"])


def installed(kind, agent, **fields):
    entry = kind.make(**fields)
    kind.installs.objects.install(agent, entry.slug)
    return entry


def shuffled(requests):
    return random.sample(requests, len(requests))


@both_kinds
def test_an_install_during_uninstalls_leaves_what_was_answered(concurrently, kind):
    agent = AgentFactory()
    for parallel in rounds():
        entry = installed(kind, agent)
        verbs = shuffled(["install", "uninstall"] * (parallel // 2))

        responses = concurrently(
            [("POST", f"{kind.path}/{verb}", {"slug": entry.slug}, agent) for verb in verbs]
        )

        by_verb = {
            verb: statuses(r for r, sent in zip(responses, verbs, strict=True) if sent == verb)
            for verb in verbs
        }
        assert set(by_verb["install"]) <= {201, 409}
        assert set(by_verb["uninstall"]) <= {200, 404}
        installs, uninstalls = 1 + by_verb["install"][201], by_verb["uninstall"][200]
        assert entry.agent_installs.count() == installs
        assert entry.agent_installs.present().count() == installs - uninstalls
        assert not kind.model.objects.miscounted().exists()


@pytest.mark.contract("12.10")
@both_kinds
def test_what_an_agent_has_is_uninstalled_once(concurrently, kind):
    agent = AgentFactory()
    for parallel in rounds():
        entry = installed(kind, agent)

        body = {"slug": entry.slug}
        responses = concurrently([("POST", f"{kind.path}/uninstall", body, agent)] * parallel)

        assert statuses(responses) == {200: 1, 404: parallel - 1}
        assert not entry.agent_installs.present().exists()


@pytest.mark.contract("12.10")
def test_of_personas_activated_concurrently_exactly_one_is_active(concurrently):
    for parallel in rounds():
        agent = AgentFactory()
        slugs = [installed(PERSONA, agent).slug for _ in range(4)]

        responses = concurrently(
            [
                ("POST", f"{PERSONAS}/activate", {"slug": slugs[number % 4]}, agent)
                for number in range(parallel)
            ]
        )

        assert statuses(responses) == {200: parallel}
        assert agent.persona_installs.filter(is_active=True).count() == 1


def test_of_personas_activated_and_installed_concurrently_exactly_one_is_active(concurrently):
    for parallel in rounds():
        agent = AgentFactory()
        present = [installed(PERSONA, agent).slug for _ in range(2)]
        absent = [persona.slug for persona in PersonaFactory.create_batch(parallel // 2)]

        responses = concurrently(
            shuffled(
                [
                    *(("POST", f"{PERSONAS}/activate", {"slug": slug}, agent) for slug in present),
                    *(
                        ("POST", f"{PERSONAS}/install", {"slug": slug, "setActive": True}, agent)
                        for slug in absent
                    ),
                ]
                * 2
            )
        )

        assert statuses(responses) == {200: 4, 201: len(absent), 409: len(absent)}
        assert agent.persona_installs.filter(is_active=True).count() == 1


@pytest.mark.contract("12.10")
def test_no_persona_is_activated_after_its_withdrawal(concurrently):
    """Every activation that got 200 was stored while the persona was in the catalogue."""
    agents = AgentFactory.create_batch(max(CONCURRENCY))
    for parallel in rounds():
        persona = PersonaFactory()
        for agent in agents[:parallel]:
            PersonaInstall.objects.install(agent, persona.slug)
        active = persona.agent_installs.filter(is_active=True)

        with ThreadPoolExecutor(1) as staff:
            withdrawing = staff.submit(withdraw_and_count, persona, active)
            responses = concurrently(
                [
                    ("POST", f"{PERSONAS}/activate", {"slug": persona.slug}, agent)
                    for agent in agents[:parallel]
                ]
            )
            active_when_withdrawn = withdrawing.result()

        assert set(statuses(responses)) <= {200, 404}
        assert statuses(responses)[200] == active.count() == active_when_withdrawn


def test_a_persona_activated_while_it_is_uninstalled_is_not_active(concurrently):
    for parallel in rounds():
        agent = AgentFactory()
        other, leaving = installed(PERSONA, agent), installed(PERSONA, agent)
        PersonaInstall.objects.activate(agent, other.slug)
        verbs = shuffled(["uninstall"] + ["activate"] * (parallel - 1))

        responses = concurrently(
            [("POST", f"{PERSONAS}/{verb}", {"slug": leaving.slug}, agent) for verb in verbs]
        )

        assert set(statuses(responses)) <= {200, 404}
        assert responses[verbs.index("uninstall")].status == 200
        active = agent.persona_installs.filter(is_active=True)
        was_activated = statuses(responses)[200] > 1
        assert [install.persona for install in active] == [other] * (not was_activated)


@both_kinds
def test_nothing_is_updated_after_a_withdrawal(concurrently, kind):
    """Every update that got 200 was stored while the entry was in the catalogue."""
    agents = AgentFactory.create_batch(max(CONCURRENCY))
    for parallel in rounds():
        entry = kind.make()
        for agent in agents[:parallel]:
            kind.installs.objects.install(agent, entry.slug)
        entry.content = "Do it better."
        entry.save()

        with ThreadPoolExecutor(1) as staff:
            withdrawing = staff.submit(withdraw_and_count, entry, updated(kind, entry))
            responses = concurrently(
                [
                    ("POST", f"{kind.path}/update", {"slug": entry.slug}, agent)
                    for agent in agents[:parallel]
                ]
            )
            updated_when_withdrawn = withdrawing.result()

        assert set(statuses(responses)) <= {200, 404}
        assert statuses(responses)[200] == updated(kind, entry).count() == updated_when_withdrawn


def updated(kind, entry):
    digest = kind.model.objects.get(pk=entry.pk).digest
    return entry.agent_installs.filter(installed_digest=digest)


def withdraw_and_count(entry, written):
    """Withdraw an entry once the first row is written; returns how many are."""
    try:
        wait_for(written)
        entry.recall("Broken.")
        return written.count()
    finally:
        connection.close()


@pytest.mark.contract("13.12")
@pytest.mark.parametrize("chosen", ["the persona", "its skill", "an own skill"])
def test_no_manifest_has_a_text_after_its_withdrawal(live_server_of, chosen):
    """A withdrawn entry is always in the manifest or among its advisories."""
    server = live_server_of(**LIMITS)
    for _ in range(ROUNDS):
        agent, bundled = AgentFactory(), SkillFactory()
        own, persona = installed(SKILL, agent), installed(PERSONA, agent, skills=[bundled])
        PersonaInstall.objects.activate(agent, persona.slug)
        entry = {"the persona": persona, "its skill": bundled, "an own skill": own}[chosen]
        withdrawn = Event()

        def read(agent=agent, withdrawn=withdrawn):
            """Manifests until one was requested after the withdrawal; with whether it was."""
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


def test_writes_of_every_kind_and_staff_do_not_deadlock(concurrently):
    agents = AgentFactory.create_batch(4)
    skills, personas = SkillFactory.create_batch(2), PersonaFactory.create_batch(2)
    for number in range(ROUNDS):
        verbs = shuffled(["install", "uninstall", "update"] * 2 + ["activate", "deactivate"])
        requests = [
            ("POST", f"{kind.path}/{verb}", {"slug": random.choice(entries).slug}, agent)
            for agent in agents
            for verb in verbs
            for kind, entries in ((SKILL, skills), (PERSONA, personas))
            if kind is PERSONA or "activate" not in verb
        ]

        with ThreadPoolExecutor(3) as staff:
            editing = [staff.submit(edit, entries, number) for entries in (skills, personas)]
            editing.append(staff.submit(bundle, personas, skills))
            responses = concurrently(requests)
            assert [future.result() for future in editing] == [None] * 3

        assert set(statuses(responses)) <= {200, 201, 404, 409}
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
