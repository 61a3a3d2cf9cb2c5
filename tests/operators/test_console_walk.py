"""The operator's console in a real browser, from the claim to the release (contract 19)"""

import json

import pytest

from catalogue.models import Skill
from installs.models import SkillInstall
from tests.chromium import SCREENS, Visitor, needs_chromium, visit
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
    review,
)

pytestmark = [pytest.mark.external, needs_chromium]

ME = "/api/v1/agents/me"


@pytest.fixture
def visitor(request, live_server_of):
    size, scheme = request.param
    server = live_server_of(WEB_CONCURRENCY="2", RATE_LIMIT_OPERATOR="1000/h")
    with visit(Visitor, server, size, color_scheme=scheme) as visitor:
        yield visitor


class ConsoleWalk:
    """Somebody at the browser, and an agent that he or she talks to."""

    def __init__(self, visitor, serious_violations):
        self.visitor, self.page = visitor, visitor.page
        self.serious_violations = serious_violations

    def look(self, name):
        """Nothing on the page is hard to read or to reach, and nothing lies beside it."""
        assert self.serious_violations(self.page) == [], name
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(width) == 0, name

    def claim(self, agent, *, key=None):
        """Claim the agent on its page; returns the key that the page shows."""
        self.visitor.open(f"/claim/{agent.claim.secret}")
        self.look("claim")
        self.page.fill("[name=name]", "Ada Lovelace")
        self.page.fill("[name=email]", "ada@example.com")
        if key is not None:
            self.page.fill("[name=key]", key)
        self.visitor.press("Get a code")
        self.look("code")
        code = self.page.inner_text("#code")
        page_key = self.page.inner_text("#key") if key is None else key
        assert self.status(agent, "POST", f"{ME}/confirm-claim", {"code": code}) == 200
        # The page loads itself again, which would end the next navigation of a walk that goes on.
        self.page.wait_for_selector("h1:has-text('Confirmed')")
        return page_key

    def status(self, agent, method="GET", path=ME, body=None):
        return self.visitor.server.request(method, path, body, token=agent.token.text).status

    def do(self, link, button, told):
        """Follow the link to an action, which asks, and do it."""
        self.visitor.press(link)
        self.look(link)
        self.visitor.press(button)
        self.look(f"{link}, done")
        assert told in self.visitor.text()

    def open(self, agent):
        self.visitor.press("Your agents")
        self.visitor.press(agent.handle)
        assert self.page.url.endswith(f"/operator/agents/{agent.handle}")


def busy_agent(handle):
    """An agent that has skills, one of them recalled, and an active persona that it reviewed."""
    agent = AgentFactory(handle=handle)
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")
    SkillInstallFactory(agent=agent, skill__slug="csv-tables").skill.recall("It loses rows.")
    persona = PersonaInstallFactory(agent=agent, persona__slug="librarian", is_active=True).persona
    review(agent, persona, rating=4.5, comment="Tidy, and knows when to ask.")
    return agent


def pause_and_limit(operator, agent):
    """From the agent's page: pause and resume it, and limit its installs."""
    operator.do("Pause", "Pause", "You paused this agent")
    assert operator.status(agent) == 401
    operator.do("Resume", "Resume", "Resumed")
    assert operator.status(agent) == 200
    operator.visitor.press("Set limits")
    operator.look("limits")
    operator.page.fill("[name=install]", "1")
    operator.visitor.press("Set limits")
    install = ("POST", f"{ME}/skills/install", {"slug": "pdf-tables"})
    assert [operator.status(agent, *install) for _ in range(2)] == [409, 429]


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_an_operator_claims_helps_stops_and_releases_agents(visitor, serious_violations):
    first, second = busy_agent("crawler"), AgentFactory(handle="archivist")
    operator, page = ConsoleWalk(visitor, serious_violations), visitor.page

    key = operator.claim(first)
    visitor.press("the operator console")
    operator.look("log-in")
    page.fill("[name=key]", key)
    visitor.press("Open the console")
    operator.look("agents")

    # The agent has lost its token: the operator issues another one, and it works again.
    first.token.revoke()
    assert operator.status(first) == 401
    operator.open(first)
    operator.look("agent")
    operator.do("Issue a token", "Issue token", "Copy it now: only this browser shows it")
    first.token.text = page.inner_text("#token")
    assert operator.status(first) == 200
    visitor.press("Back to crawler")
    pause_and_limit(operator, first)
    operator.do("New claim URL", "Replace the claim URL", "crawler has a new claim URL.")
    operator.do("Remove csv-tables", "Remove", "Removed csv-tables from crawler.")
    assert page.get_by_role("link", name="csv-tables").count() == 0
    operator.do("Revoke all", "Revoke all", "Revoked")
    assert operator.status(first) == 401

    operator.claim(second, key=key)
    visitor.open("/operator")
    assert {"crawler", "archivist"} <= {*visitor.text().split()}
    operator.look("two-agents")
    operator.open(second)
    operator.do("Release", "Release", "Released")
    assert page.get_by_role("link", name="archivist").count() == 0
    assert operator.status(second) == 200
    visitor.press("End all sessions")
    operator.look("end-sessions")
    visitor.press("End all sessions")
    assert "Operator key" in visitor.text()
    assert visitor.errors == []


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_an_operator_pins_and_updates(visitor, serious_violations):
    agent = AgentFactory(handle="crawler")
    for slug in ("pdf-tables", "csv-tables", "html-tables-of-a-rather-long-name-that-has-to-wrap"):
        SkillInstall.objects.install(agent, SkillFactory(slug=slug, version="1.0").slug)
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="librarian"), is_active=True)
    for skill in Skill.objects.exclude(slug="csv-tables"):
        skill.content, skill.version = "Another text.", "2.0"
        skill.save()
    SkillInstallFactory(agent=agent, skill__slug="gone-tables").skill.withdraw()
    operator, page = ConsoleWalk(visitor, serious_violations), visitor.page
    visitor.open("/operator")
    page.fill("[name=key]", claim(agent))
    visitor.press("Open the console")

    operator.open(agent)
    operator.do("Pin pdf-tables", "Pin", "Pinned version 1 of the skill pdf-tables for crawler.")
    operator.do("Update pdf-tables", "Update", "Updated crawler to version 2 of the skill")
    visitor.press("Change pin pdf-tables")
    page.select_option("[name=version]", "1")
    visitor.press("Pin")
    assert "version 1 (1.0), pinned" in visitor.text()
    operator.do("Unpin pdf-tables", "Unpin", "Unpinned the skill pdf-tables")
    operator.do("Pin all", "Pin all", "Pinned 3 skills and 1 persona of crawler.")
    operator.do("Update all", "Update all", "Updated 2 skills of crawler.")
    operator.do("Unpin all", "Unpin all", "Unpinned 3 skills and 1 persona of crawler.")
    visitor.press("Update all")
    assert "There is nothing to change." in visitor.text()
    operator.look("Nothing to change")
    assert visitor.errors == []


def delete(operator, handle, *, mistyped):
    """From the agent's page: delete it at the second try."""
    operator.visitor.press("Delete")
    operator.look("Delete")
    operator.page.fill("[name=handle]", mistyped)
    operator.visitor.press("Delete")
    operator.look("Delete, refused")
    assert f"This is not its handle. Type {handle}." in operator.visitor.text()
    operator.page.fill("[name=handle]", handle)
    operator.visitor.press("Delete")
    operator.look("Deleted")
    assert f"Deleted {handle}." in operator.visitor.text()


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_an_operator_replaces_what_was_recalled(visitor, serious_violations):
    old, new = SkillFactory(slug="old-tables"), SkillFactory(slug="new-tables")
    agents = [AgentFactory(handle=handle) for handle in ("crawler", "spider")]
    key = claim(agents[0])
    claim(agents[1], key=key)
    PersonaInstallFactory(agent=agents[0], persona__title="The Librarian", is_active=True)
    PersonaFactory(slug="scribe", title="The Scribe")
    for agent in agents:
        SkillInstallFactory(agent=agent, skill=old)
    old.recall("It wrote secrets into its log.", new)
    operator, page = ConsoleWalk(visitor, serious_violations), visitor.page
    visitor.open("/operator")
    page.fill("[name=key]", key)
    visitor.press("Open the console")

    assert "It wrote secrets into its log." in visitor.text()
    visitor.press("Context at start")
    operator.look("Agents by tokens")
    replace = "Replace old-tables with new-tables"
    operator.do(replace, replace, "Replaced old-tables with new-tables: crawler, spider.")
    page.fill("#q", "spid")
    visitor.press("Find")
    assert "crawler" not in page.inner_text(".overview")
    visitor.press("spider")
    visitor.press("Install a persona")
    page.fill("[name=slug]", "scribe")
    page.check("[name=activate]")
    visitor.press("Install")
    operator.look("Installed")
    assert "Active persona: The Scribe" in visitor.text()
    with page.expect_download() as download:
        page.click("text=Export all of this")
    assert download.value.suggested_filename == "spider.json"
    assert json.loads(download.value.path().read_text())["personas"][0]["slug"] == "scribe"
    delete(operator, "spider", mistyped="crawler")
    # The browser logs a refused form as an error of its address.
    refused = [error for error in visitor.errors if "400" in str(error)]
    assert visitor.errors == refused
