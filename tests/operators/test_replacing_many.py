"""Replacing what was recalled on many agents: few statements, and again after a stop."""

import string

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Skill
from marketplace.secrets import random_text
from operators import replacing
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
)
from tests.operators.pages import slugs_of, told

LETTERS = string.ascii_lowercase + string.digits


@pytest.mark.parametrize(
    ("factory", "install", "activate"),
    [
        (SkillFactory, SkillInstallFactory, {}),
        (PersonaFactory, PersonaInstallFactory, {"activate": True}),
    ],
    ids=["skill", "persona"],
)
def test_it_installs_what_an_agent_would_install(console, fleet, factory, install, activate):
    entry, successor = factory(slug="old"), factory(slug="new")
    installs = type(install(agent=fleet[0], **{entry.kind: entry}, **is_active(activate))).objects
    entry.recall("It leaks.", successor)

    console.submit(f"/operator/replace-{entry.kind}/old")
    installs.install(fleet[1], "new", **activate)

    ours, theirs = installs.of_entry("new").order_by("agent").values()
    differ = {name for name in ours if ours[name] != theirs[name]}
    assert differ == {"id", "agent_id", "installed_at"}
    successor.refresh_from_db()
    assert getattr(successor, successor.POPULARITY) == 2


def is_active(activate):
    return {"is_active": True} if activate else {}


def test_the_number_of_statements_does_not_grow(console, key, fleet):
    def statements(number, slug):
        skill = SkillFactory(slug=slug)
        for _ in range(number):
            agent = AgentFactory()
            claim(agent, key=key)
            SkillInstallFactory(agent=agent, skill=skill)
        skill.recall("It leaks.", SkillFactory(slug=f"new-{slug}"))
        with CaptureQueriesContext(connection) as queries:
            console.submit(f"/operator/replace-skill/{slug}")
        assert not skill.agent_installs.present()
        return len(queries)

    assert statements(1, "one") == statements(4, "four")


@pytest.mark.contract("19.20")
def test_after_an_interruption_it_goes_on_with_the_others(console, recalled, fleet, monkeypatch):
    act, calls = replacing.act, []

    def fail_once(recall, agents):
        calls.append(agents)
        if len(calls) == 2:
            raise InterruptedError
        return act(recall, agents)

    monkeypatch.setattr(replacing, "MAX_AT_ONCE", 1)
    monkeypatch.setattr(replacing, "act", fail_once)
    assert console.submit("/operator/replace-skill/old").status_code == 500
    slugs = sorted(slugs_of(agent) for agent in fleet)
    assert slugs == [[], ["new"], ["old"]]
    assert Skill.objects.get(slug="new").downloads == 1

    assert console.submit("/operator/replace-skill/old").status_code == 302

    assert [slugs_of(agent) for agent in fleet] == [["new"], ["new"], []]
    assert Skill.objects.get(slug="new").downloads == 2
    assert [len(agents) for agents in calls] == [1, 1, 1]


def test_the_messages_name_a_few_of_many_agents(console, key, recalled):
    # As long and as random as handles get, because the cookie of the messages is compressed.
    handles = sorted(random_text(39, LETTERS) for _ in range(24))
    for number, handle in enumerate(handles):
        agent = AgentFactory(handle=handle)
        claim(agent, key=key)
        SkillInstallFactory(agent=agent, skill=recalled)
        if number % 2:
            agent.pause()
    replaced = sorted(["ant", "caller", *handles[::2]])

    console.submit("/operator/replace-skill/old")

    done, left_out = ", ".join(replaced[:10]), ", ".join(handles[1:20:2])
    assert told(console.get("/operator")) == [
        f"Replaced old with new: {done}, and 4 more.",
        f"Left out: {left_out}, and 2 more. Open the page of an agent to see why.",
    ]


def test_it_counts_once_against_the_limit(console, recalled, rates):
    rates(manage="1/h")

    assert console.submit("/operator/replace-skill/old").status_code == 302
    assert console.submit("/operator/agents/caller/pause").status_code == 429
