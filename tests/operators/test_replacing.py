"""One banner for each recall, and one button for all agents that have it (contract 19.20)"""

import re
import string

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditEvent
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
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
from tests.operators.test_console import text_of

LETTERS = string.ascii_lowercase + string.digits


@pytest.fixture
def fleet(agent, key):
    """The agents of the operator."""
    others = [AgentFactory(handle=handle) for handle in ("ant", "bee")]
    for other in others:
        claim(other, key=key)
    return [agent, *others]


@pytest.fixture
def recalled(fleet):
    """A skill that two agents had when it was recalled for another one."""
    skill, successor = SkillFactory(slug="old", title="Old Tables"), SkillFactory(slug="new")
    for agent in fleet[:2]:
        SkillInstallFactory(agent=agent, skill=skill)
    skill.recall("It leaks.", successor)
    return skill


def slugs_of(agent, model=SkillInstall):
    installs = model.objects.present().filter(agent=agent)
    return sorted(installs.values_list(f"{model.kind}__slug", flat=True))


def told(console):
    return re.findall('role="status">(.*?)</p>', console.get("/operator").content.decode())


@pytest.mark.contract("19.20")
def test_one_banner_says_what_why_and_who_has_it(console, recalled):
    text = text_of(console.get("/operator"))

    assert text.count("Recalled :") == 1
    assert "Recalled : the skill old (Old Tables), on " in text
    assert "It leaks. 2 of your agents have it: ant , caller Replace old with new" in text


def test_published_and_uninstalled_entries_have_no_banner(console, fleet):
    SkillInstallFactory(agent=fleet[0], skill__slug="published")
    removed = SkillInstallFactory(agent=fleet[0], skill__slug="removed")
    removed.uninstall()
    removed.skill.recall("It leaks.")

    assert 'class="notice"' not in console.get("/operator").content.decode()


def test_an_operator_sees_no_recall_of_others(stranger, recalled):
    assert "It leaks." not in stranger.get("/operator").content.decode()
    assert stranger.get("/operator/replace-skill/old").status_code == 404
    assert stranger.post("/operator/replace-skill/old").status_code == 403


@pytest.mark.contract("19.20")
def test_one_button_replaces_it_on_all_of_them(console, recalled, fleet):
    page = console.get("/operator/replace-skill/old")
    assert "This changes 2 agents:" in page.content.decode()
    assert slugs_of(fleet[0]) == ["old"]

    response = console.submit("/operator/replace-skill/old")

    assert (response.status_code, response.headers["Location"]) == (302, "/operator")
    assert [slugs_of(agent) for agent in fleet] == [["new"], ["new"], []]
    assert told(console) == ["Replaced old with new: ant, caller."]
    assert "It leaks." not in console.get("/operator").content.decode()
    newest = fleet[0].history.first()
    assert (newest.operator, newest.history_change_reason) == (
        "Ada Lovelace",
        "Replaced old with new.",
    )


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


def test_an_agent_that_has_the_successor_loses_the_old_one(console, recalled, fleet):
    SkillInstallFactory(agent=fleet[0], skill__slug="other")
    SkillInstall.objects.install(fleet[0], "new")

    console.submit("/operator/replace-skill/old")

    assert slugs_of(fleet[0]) == ["new", "other"]


@pytest.mark.contract("19.20")
def test_a_stopped_agent_is_left_out_and_named(console, recalled, fleet):
    fleet[1].pause()

    console.submit("/operator/replace-skill/old")

    assert [slugs_of(agent) for agent in fleet] == [["new"], ["old"], []]
    assert told(console) == [
        "Replaced old with new: caller.",
        "Left out: ant. Open the page of an agent to see why.",
    ]


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
    assert told(console) == [
        f"Replaced old with new: {done}, and 4 more.",
        f"Left out: {left_out}, and 2 more. Open the page of an agent to see why.",
    ]


@pytest.mark.contract("19.20")
def test_an_agent_whose_claim_is_not_full_is_left_out(console, recalled, fleet):
    fleet[0].claim.scopes = ["read"]
    fleet[0].claim.save()

    console.submit("/operator/replace-skill/old")

    assert [slugs_of(agent) for agent in fleet] == [["old"], ["new"], []]


@pytest.mark.contract("19.20")
@pytest.mark.parametrize("is_paused", [False, True])
def test_without_a_successor_it_is_removed(console, fleet, is_paused):
    skill = SkillInstallFactory(agent=fleet[0], skill__slug="old").skill
    skill.withdraw()
    if is_paused:
        fleet[0].pause()

    text = text_of(console.get("/operator"))
    assert "Withdrawn : the skill old" in text
    assert "1 of your agents has it: caller Remove old" in text
    console.submit("/operator/replace-skill/old")

    assert slugs_of(fleet[0]) == []
    assert told(console) == ["Removed old: caller."]


def test_no_agent_gets_a_successor_that_has_a_price(console, fleet):
    successor = PersonaFactory(slug="new")
    persona = PersonaInstallFactory(agent=fleet[0], persona__slug="old", is_active=True).persona
    persona.recall("It lies.", successor)
    Persona.objects.filter(slug="new").update(price_cents=500)

    console.submit("/operator/replace-persona/old")

    assert slugs_of(fleet[0], PersonaInstall) == ["old"]
    left_out = "Left out: caller. Open the page of an agent to see why."
    assert told(console) == [left_out]
    assert not AuditEvent.objects.filter(action="replace_recalled").exists()


def test_the_successor_of_an_active_persona_is_active(console, fleet, client):
    persona, successor = PersonaFactory(slug="old"), PersonaFactory(slug="new")
    PersonaInstallFactory(agent=fleet[0], persona=persona, is_active=True)
    PersonaInstallFactory(agent=fleet[1], persona=persona)
    persona.recall("It lies.", successor)

    console.submit("/operator/replace-persona/old")

    rows = (
        PersonaInstall.objects.present()
        .order_by("agent_id")
        .values_list("persona__slug", "is_active")
    )
    assert list(rows) == [("new", True), ("new", False)]


@pytest.mark.contract("19.20")
def test_a_recalled_version_is_updated_on_all(console, fleet):
    skill = SkillFactory(slug="tables", content="One.")
    for agent in fleet[:2]:
        SkillInstall.objects.install(agent, "tables", version=1)
    skill.content = "Two."
    skill.save()
    skill.versions.get(number=1).recall("It leaks.")

    assert "Recalled : version 1 of the skill tables" in text_of(console.get("/operator"))
    console.submit("/operator/replace-skill/tables/1")

    installs = SkillInstall.objects.values_list("number", "pinned__number")
    assert list(installs) == [(2, 2), (2, 2)]
    assert told(console) == ["Updated tables to the newest version: ant, caller."]


@pytest.mark.contract("19.20")
def test_a_skill_that_comes_with_a_persona_is_replaced_too(console, fleet):
    skill, successor = SkillFactory(slug="old"), SkillFactory(slug="new")
    PersonaInstallFactory(agent=fleet[0], persona=PersonaFactory(skills=[skill]))
    skill.recall("It leaks.", successor)

    console.submit("/operator/replace-skill/old")

    assert slugs_of(fleet[0]) == ["new"]
    # The persona still names the skill, but there is nothing left to do.
    assert "It leaks." not in console.get("/operator").content.decode()
    assert console.get("/operator/replace-skill/old").status_code == 404


@pytest.mark.contract("19.20")
def test_a_skill_that_only_a_persona_has_leaves_nothing_to_do_without_a_successor(console, fleet):
    skill = SkillFactory(slug="old")
    PersonaInstallFactory(agent=fleet[0], persona=PersonaFactory(skills=[skill]))
    skill.recall("It leaks.")

    page = console.get("/operator").content.decode()

    assert "It leaks." not in page
    assert '<td data-label="Advisories"><div><b class="deprecated">1</b></div></td>' in page
    assert "It leaks." in console.get("/operator/agents/caller").content.decode()
    assert console.get("/operator/replace-skill/old").status_code == 404


@pytest.mark.parametrize(
    "path", ["replace-skill/old/1", "replace-skill/new", "replace-persona/old", "replace-skill/x"]
)
def test_replacing_an_entry_that_is_not_recalled_is_not_found(console, recalled, path):
    assert console.get(f"/operator/{path}").status_code == 404


def test_it_counts_once_against_the_limit(console, recalled, rates):
    rates(manage="1/h")

    assert console.submit("/operator/replace-skill/old").status_code == 302
    assert console.submit("/operator/agents/caller/pause").status_code == 429


def test_another_successor_is_confirmed_first(console, recalled, fleet):
    other = SkillFactory(slug="other")
    recalled.refresh_from_db()
    recalled.deprecate("Use that one.", other)

    response = console.submit("/operator/replace-skill/old", successor="new")

    assert response.status_code == 200
    text = text_of(response)
    assert "Nothing was changed, because this is not what you confirmed. Read it again." in text
    assert "Replace old with other?" in text
    assert [slugs_of(agent) for agent in fleet] == [["old"], ["old"], []]
