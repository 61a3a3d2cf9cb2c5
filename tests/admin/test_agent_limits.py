"""The agent's page: its limits, what was refused, what it has; staff raise a limit"""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from agents.models import AgentToken, RaisedLimit
from audit.models import AuditEvent
from installs.models import PersonaInstall, SkillInstall
from tests.admin.actions import take_action, told
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim
from tests.operators.conftest import OperatorBrowser

ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"
NOTE = "For the crawl of December."


def page_of(admin_client, agent):
    """The cells of the tables of an agent's page, by the title of their panel."""
    page = admin_client.get(f"/admin/agents/agent/{agent.pk}/change/")
    return {
        panel["title"]: [[getattr(cell, "text", cell) for cell in row] for row in panel["rows"]]
        for panel in page.context["panels"]
    }


def limit_of(client, policy="install"):
    rows = client.get(f"{ME}/limits").json()["limits"]
    [row] = [row for row in rows if row["policy"] == policy]
    return row["limit"], row["remaining"]


def install(client):
    response = client.post(INSTALL, {"slug": "gone"})
    return response.status_code, response["RateLimit-Policy"]


@pytest.mark.contract("11.11", "13.2")
def test_staff_raise_a_limit_of_one_agent(admin_client, agent, client, client_of, rates):
    rates(install="1/h")
    assert [install(client) for _ in "ab"] == [
        (404, '"install";q=1;w=3600'),
        (429, '"install";q=1;w=3600'),
    ]

    page = take_action(
        admin_client, "raise_limit", agent, policy="install", limit="4", days="30", note=NOTE
    )

    end = f"{timezone.now() + timedelta(days=30):%d %b %Y}"
    message = f"Raised the limit install to 4 until {end}: {NOTE}"
    assert told(page) == [f"Raised the limit install to 4 until {end}: caller."]
    assert limit_of(client) == (4, 2)
    assert [install(client) for _ in "abc"] == [
        (404, '"install";q=4;w=3600'),
        (404, '"install";q=4;w=3600'),
        (429, '"install";q=4;w=3600'),
    ]
    assert limit_of(client, "review") == (10, 10)
    assert limit_of(client_of(AgentFactory())) == (1, 1)
    [policy, used, _, change] = page_of(admin_client, agent)["Limits"][0]
    assert (policy, used) == ("install", "4 of 4")
    assert re.fullmatch(rf"raised from 1 to 4 by clerk-0 until {end}, ..:..: {NOTE}", change)
    assert LogEntry.objects.get().change_message == message
    event = AuditEvent.objects.get(object_name="caller")
    assert (event.actor_name, event.details["message"]) == ("clerk-0", message)


@pytest.mark.contract("11.11")
@pytest.mark.parametrize("end", ["until", "action"])
def test_a_raise_ends(admin_client, agent, client, end):
    until = timezone.now() + timedelta(minutes=1)
    row = RaisedLimit.objects.create(agent=agent, policy="install", requests=50, until=until)
    assert limit_of(client) == (50, 50)

    if end == "action":
        page = take_action(admin_client, "raise_limit", agent, policy="install", note="Done.")
        assert told(page) == ["Ended the raise of the limit install: caller."]
        assert not RaisedLimit.objects.exists()
    else:
        RaisedLimit.objects.filter(pk=row.pk).update(until=timezone.now() - timedelta(seconds=1))

    assert limit_of(client) == (20, 20)
    assert page_of(admin_client, agent)["Limits"][0][3] == ""


@pytest.mark.contract("11.11", "19.14")
def test_an_operators_lower_limit_applies_to_a_raised_one(admin_client, agent, client):
    console = OperatorBrowser(claim(agent))
    RaisedLimit.objects.create(agent=agent, policy="install", requests=50, note=NOTE)

    page = console.submit("/operator/agents/caller/limits", install="51")
    assert page.status_code == 400
    console.submit("/operator/agents/caller/limits", install="40")

    assert limit_of(client) == (40, 40)
    changes = page_of(admin_client, agent)["Limits"][0][3]
    raised = f"raised from 20 to 50 by a former user: {NOTE}"
    assert changes == f"lowered by its operator; the tier allows 20; {raised}"


@pytest.mark.contract("11.11")
def test_a_raise_below_what_the_tier_gets_later_changes_nothing(agent, client, rates):
    RaisedLimit.objects.create(agent=agent, policy="install", requests=50)

    rates(install="60/h")

    assert limit_of(client) == (60, 60)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"limit": "20"}, "The tier free of caller allows 20 requests per hour. Enter more."),
        ({"limit": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"limit": "9" * 20}, "Ensure this value is less than or equal to 1000000000."),
        ({"policy": "login"}, "Select a valid choice. login is not one of the available choices."),
        ({"note": ""}, "This field is required."),
    ],
)
def test_a_raise_that_is_none_is_refused(admin_client, agent, client, fields, error):
    valid = {"policy": "install", "limit": "21", "note": NOTE}

    page = take_action(admin_client, "raise_limit", agent, **(valid | fields))

    assert [*page.context["form"].errors.values()] == [[error]]
    assert not RaisedLimit.objects.exists()


def test_only_staff_who_may_change_agents_raise_limits(admin_client, clerk_with, agent):
    url = f"/admin/agents/agent/{agent.pk}/do/raise_limit/"

    focused = re.findall("<[^>]* autofocus[ >]", admin_client.get(url).content.decode())
    assert len(focused) == 1
    assert focused[0].startswith('<select name="policy"')
    assert clerk_with("view_agent").get(url).status_code == 403


@pytest.mark.contract("11.12")
def test_the_page_counts_what_was_refused(admin_client, agent, client, rates):
    rates(install="1/h")
    for _ in range(3):
        client.post(INSTALL, {"slug": "gone"})
    client.get("/api/v1/skills?limit=0")  # not known to be the agent's
    client.get(f"{ME}/skills?limit=0")

    rows = page_of(admin_client, agent)["Refused in the last 24 hours"]

    assert [row[:3] for row in rows] == [
        ["400", "limit must be a whole number from 1 to 100", "1"],
        ["429", "Rate limit exceeded: install", "2"],
        ["404", "Skill not found", "1"],
    ]
    agent.refusals.update(first_at=timezone.now() - timedelta(hours=25))
    assert page_of(admin_client, agent)["Refused in the last 24 hours"] == []


def test_the_page_says_which_versions_it_has_and_when_it_was_seen(admin_client, agent):
    skill, old = SkillFactory(slug="pdf"), SkillFactory(slug="old")
    for slug in ("pdf", "old"):
        SkillInstall.objects.install(agent, slug)
    SkillInstall.objects.pin(agent, "pdf")
    for entry in (skill, old):
        entry.content += "More."
        entry.save()
    PersonaInstall.objects.install(agent, PersonaFactory(slug="scribe").slug, activate=True)
    PersonaInstall.objects.install(agent, PersonaFactory(slug="other").slug)
    AgentToken.objects.update(last_used_at=timezone.now())

    tables = page_of(admin_client, agent)

    assert [row[:2] for row in tables["Skills"]] == [
        ["old", "1, newest 2"],
        ["pdf", "pinned to 1, newest 2"],
    ]
    assert [row[:2] for row in tables["Personas"]] == [["scribe", "1"], ["other", "1"]]
    assert tables["Personas"][0][2].endswith(", active")
    listed = admin_client.get("/admin/agents/agent/").content.decode()
    assert re.search(r"field-last_seen.*?\d+:\d+", listed, re.DOTALL)
    # The pages of the entries name their holders.
    claim(agent)
    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/")
    [holders] = [panel for panel in page.context["panels"] if "Held by" in panel["title"]]
    [[handle, version, operator, _]] = holders["rows"]
    assert (handle.text, operator.text) == ("caller", "Ada Lovelace")
    assert version == "pinned to 1, newest 2"
    assert handle.url == f"/admin/agents/agent/{agent.pk}/change/"
    assert operator.url == f"/admin/agents/operatorkey/{agent.claim.key_id}/change/"
