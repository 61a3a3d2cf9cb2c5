"""One banner for each recall, and one button for all agents that have it (contract 19.20)"""

import pytest

from audit.models import AuditEvent
from catalogue.models import Persona
from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.operators.pages import slugs_of, told
from tests.operators.test_console import text_of


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
    assert told(console.get("/operator")) == ["Replaced old with new: ant, caller."]
    assert "It leaks." not in console.get("/operator").content.decode()
    newest = fleet[0].history.first()
    assert (newest.operator, newest.history_change_reason) == (
        "Ada Lovelace",
        "Replaced old with new.",
    )


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
    assert told(console.get("/operator")) == [
        "Replaced old with new: caller.",
        "Left out: ant. Open the page of an agent to see why.",
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
    assert told(console.get("/operator")) == ["Removed old: caller."]


def test_no_agent_gets_a_successor_that_has_a_price(console, fleet):
    successor = PersonaFactory(slug="new")
    persona = PersonaInstallFactory(agent=fleet[0], persona__slug="old", is_active=True).persona
    persona.recall("It lies.", successor)
    Persona.objects.filter(slug="new").update(price_cents=500)

    console.submit("/operator/replace-persona/old")

    assert slugs_of(fleet[0], PersonaInstall) == ["old"]
    left_out = "Left out: caller. Open the page of an agent to see why."
    assert told(console.get("/operator")) == [left_out]
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
    assert told(console.get("/operator")) == ["Updated tables to the newest version: ant, caller."]


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
