"""Filters of the list of agents (contract 19.23)"""

import pytest
from django.utils import timezone

from agents.models import AgentToken
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory
from tests.operators.conftest import publish, seen
from tests.operators.test_agents_list import rows
from tests.operators.test_console import text_of


def listed(console, **query):
    query = "&".join(f"{name}={value}" for name, value in query.items())
    return list(rows(console, f"?{query}"))


@pytest.mark.contract("19.23")
def test_a_skill_and_its_version_are_those_that_agents_have_accepted(console, holders):
    other = AgentFactory(handle="of-somebody-else")
    SkillInstall.objects.install(other, "tables")

    assert listed(console, skill="tables") == ["ant", "bee", "cat"]
    assert listed(console, skill="tables", version=1) == ["ant", "bee"]
    assert listed(console, skill="tables", version=2) == ["cat"]
    assert listed(console, skill="tables", version=3) == []
    assert listed(console, version=1) == ["ant", "bee", "cat", "caller"]  # of no skill
    assert listed(console, skill="unknown") == []
    SkillInstall.objects.filter(agent=holders["ant"]).update(removed_at=timezone.now())
    assert listed(console, skill="tables") == ["bee", "cat"]

    assert [row[0] for row in rows(console, "?skill=tables").values()] == [
        "accepted 1, newest 2, pinned",
        "version 2",
    ]
    text = text_of(console.get("/operator?skill=tables&version=1"))
    assert "any other (2) tables (2) Accepted version any 2, newest (1) 1 (1) Last seen" in text


@pytest.mark.contract("19.23")
def test_outdated_is_everything_or_the_chosen_skill_pinned_or_not(console, holders, client):
    persona = PersonaFactory(slug="clerk", content="One.")
    PersonaInstall.objects.install(holders["cat"], "clerk")
    PersonaInstall.objects.install(holders["caller"], "clerk", version=1)

    assert listed(console, outdated="on") == ["ant", "bee"]
    publish(persona, "Two.")
    assert listed(console, outdated="on") == ["ant", "bee", "cat", "caller"]
    assert listed(console, outdated="on", skill="tables") == ["ant", "bee"]
    assert listed(console, outdated="on", skill="other") == []

    # The list and the page count the same updates; the API, as before, leaves out pins.
    assert rows(console)["caller"][3] == "1"
    page = text_of(console.get("/operator/agents/caller"))
    assert "Updates: 1 clerk accepted 1, newest 2, pinned; changed" in page
    assert "clerk accepted 1, newest 2, pinned: what changed" in page
    assert client.get("/api/v1/agents/me").json()["updates"] == []


@pytest.mark.contract("19.23")
def test_what_is_recalled_withdrawn_or_deprecated(console, holders):
    assert listed(console, advisory="on") == []
    PersonaInstallFactory(agent=holders["ant"]).persona.withdraw()
    PersonaInstallFactory(agent=holders["bee"]).persona.deprecate("Old.")
    removed = PersonaInstallFactory(agent=holders["cat"])
    removed.persona.deprecate("Old.")
    removed.uninstall()

    assert listed(console, advisory="on") == ["ant", "bee"]
    assert [row[2] for row in rows(console, "?advisory=on").values()] == ["1", "0, 1 deprecated"]


@pytest.mark.contract("19.23")
def test_last_seen(console, holders):
    seen(holders["ant"], hours=1)
    AgentToken.objects.issue(holders["ant"])  # which was never used
    seen(holders["bee"], days=6)
    seen(holders["cat"], days=29)

    for value, handles in {
        "": ["ant", "bee", "cat", "caller"],
        "day": ["ant"],
        "week": ["ant", "bee"],
        "not-week": ["cat", "caller"],
        "not-month": ["caller"],
        "never": ["caller"],
    }.items():
        assert listed(console, seen=value) == handles, value


@pytest.mark.contract("19.23")
def test_filters_add_up_and_every_link_keeps_them(console, holders):
    seen(holders["bee"], hours=1)

    assert listed(console, skill="tables", outdated="on", seen="day", q="b") == ["bee"]
    text = console.get("/operator?q=b&seen=day&outdated=on&skill=tables&x=y").content.decode()
    kept = "q=b&amp;skill=tables&amp;seen=day&amp;outdated=on"
    assert f'href="?{kept}&amp;sort=seen"' in text
    assert f'href="/operator/update-skill/tables?{kept}"' in text
    assert '<option value="day" selected>' in text
    assert '<option value="tables" selected>tables (3)</option>' in text


@pytest.mark.contract("19.23")
def test_a_value_that_cannot_be_understood_lists_no_agent(console, holders, apart):
    for query, sentence in {
        "skill=No+Slug": "Choose a skill from the list.",
        "skill=%00": "Null characters are not allowed.",
        f"skill={'x' * 101}": "Ensure this value has at most 100 characters (it has 101).",
        "skill=tables&version=x": "Enter a whole number.",
        "skill=tables&version=0": "Ensure this value is greater than or equal to 1.",
        "skill=tables&version=9999999999": (
            "Ensure this value is less than or equal to 2147483647."
        ),
        "seen=yesterday": "Choose from the list.",
    }.items():
        with apart(query):
            text = text_of(console.get(f"/operator?{query}"))
            assert f"No agent is listed: {sentence}" in text, query
            assert "No agent matches." in text, query
            path = f"/operator/update-skill/tables?{query}"
            assert console.get(path).status_code == (200 if "tables" in query else 404)
