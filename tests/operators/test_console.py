"""What the operator's console shows (contract 19.5)"""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Agent, AgentToken, OperatorKey
from catalogue.models import Skill
from operators import agents_list, overview
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    claim,
    review,
)
from tests.operators.conftest import OperatorBrowser
from tests.registry import send_submission

HOME = "/operator/agents/caller"
FILTERED = "/operator?skill=tables&version=1&outdated=&advisory=on&seen=never&q=some&sort=updates"


def text_of(page, status=200):
    """The text of the page's main part, on one line."""
    assert page.status_code == status
    main = page.content.decode().partition("<main")[2]
    return " ".join(re.sub(r"<[^>]*>", " ", main).split())


@pytest.mark.contract("19.5")
def test_it_shows_what_an_agent_has(console, client, agent):
    SkillInstallFactory(
        agent=agent,
        skill__slug="pdf-tables",
        skill__title="PDF Tables",
        skill__version="2",
        installed_digest="old",
    )
    SkillInstallFactory(agent=agent, skill__slug="old-tables").skill.deprecate("Old.", None)
    recalled = SkillInstallFactory(
        agent=agent, skill__slug="bad-tables", installed_digest="old"
    ).skill
    recalled.recall("It leaks.")
    persona = PersonaInstallFactory(
        agent=agent, persona__slug="archivist", persona__title="The Archivist", is_active=True
    ).persona
    review(agent, persona, rating=4.5, comment="Tidy.")
    client.post("/api/v1/agents/me/skills/install", {"slug": "gone"})

    text = text_of(console.get(HOME))

    assert "PDF Tables pdf-tables accepted a text from before version 1, newest 1 (2)" in text
    assert "old-tables deprecated version 1" in text
    assert "bad-tables recalled" in text
    assert "Advisory : staff have recalled the skill bad-tables : It leaks." in text
    assert 'href="/skills/bad-tables"' in console.get(HOME).content.decode()
    assert "archivist active version 1" in text
    assert "archivist 4.5 of 5: Tidy." in text
    changed = f"changed {timezone.now():%-d %b %Y}"
    assert f"Updates: 1 pdf-tables accepted an older text, newest 1; {changed}" in text
    assert "Active persona: The Archivist , version 1." in text
    assert "Installs 19 20" in text
    today = f"{timezone.now():%-d %b %Y}"
    issued = f"issued {today}, used in the last 15 minutes"
    assert f"{agent.token.hint} read, install, review; {issued} Revoke" in text
    assert f"Your actions Claimed the agent, with the key {OperatorKey.objects.get()}." in text
    assert "by Ada Lovelace" in text


@pytest.mark.contract("19.5")
def test_the_recall_of_a_version_is_not_one_of_the_entry(console, agent):
    skill = SkillFactory(slug="pdf-tables", content="One.")
    SkillInstallFactory(agent=agent, skill=skill, installed_digest=skill.digest)
    skill.content = "Two."
    skill.save()
    skill.versions.get(number=1).recall("It leaks.")

    text = text_of(console.get(HOME))

    advisory = "Advisory : staff have recalled version 1 of the skill pdf-tables : It leaks."
    assert advisory in text
    assert "pdf-tables withdrawn" not in text


@pytest.mark.contract("19.4")
def test_it_shows_nothing_of_other_agents(console, agent):
    other = AgentFactory(handle="other-agent")
    SkillInstallFactory(agent=other, skill__slug="other-skill")
    persona = PersonaInstallFactory(agent=other, persona__slug="other-persona").persona
    review(other, persona, rating=1)
    claim(other)

    pages = [text_of(console.get(path)) for path in ("/operator", HOME)]

    assert not any("other-" in text for text in pages)
    assert console.get("/operator/agents/other-agent").status_code == 404


@pytest.mark.contract("19.5")
def test_a_review_that_staff_have_hidden_is_shown_like_any_other(console, agent):
    persona = PersonaInstallFactory(agent=agent, persona__slug="archivist").persona
    review(agent, persona, rating=1, comment="Bad.")
    Review.objects.get().hide("Rude.")

    text = text_of(console.get(HOME))

    assert "archivist 1 of 5: Bad." in text
    assert "Rude" not in text


def test_uninstalled_skills_and_ended_tokens_are_not_shown(console, client, agent):
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")
    client.post("/api/v1/agents/me/skills/uninstall", {"slug": "pdf-tables"})
    ended = AgentToken.objects.issue(agent)
    ended.revoke()
    expired = AgentToken.objects.issue(agent, expires_at=timezone.now())

    text = text_of(console.get(HOME))

    assert "pdf-tables" not in text.partition("Changes by others")[0]
    assert ended.hint not in text
    assert expired.hint not in text


@pytest.mark.contract("19.4")
def test_the_agents_come_by_name_with_their_state(console, agent, key):
    for handle in ("zebra", "bee", "ant"):
        claim(AgentFactory(handle=handle), key=key)
    Agent.objects.get(handle="bee").pause()
    AgentToken.objects.get(agent__handle="bee").revoke()
    ask_for_code(agent)
    Agent.objects.get(handle="ant").suspend()
    AgentToken.objects.filter(agent=agent).update(last_used_at=timezone.now() - timedelta(hours=3))

    text = text_of(console.get("/operator"))

    assert re.findall(r"\b(ant|bee|caller|zebra)\b", text) == ["ant", "bee", "zebra", "caller"]
    nothing = "none 0 0 0 0"
    assert f"Some Agent ant suspended by staff {nothing} never" in text
    assert f"Some Agent bee paused , no token {nothing} never" in text
    assert (
        f"The Caller caller active, somebody is trying to claim it {nothing} about 3 hours ago"
        in text
    )
    assert f"Some Agent zebra active {nothing} never" in text


def test_more_agents_are_on_the_next_page(console, key, monkeypatch):
    monkeypatch.setattr(agents_list, "MAX_AGENTS", 2)
    for number in range(3):
        claim(AgentFactory(handle=f"agent-{number}"), key=key)

    first = console.get("/operator").content.decode()
    [following] = re.findall(r'rel="next" href="([^"]*)"', first)
    second = console.get(f"/operator{following}").content.decode()

    handles = [re.findall(r"/operator/agents/([\w-]+)", page) for page in (first, second)]
    assert handles == [["agent-0", "agent-1"], ["agent-2", "caller"]]
    assert 'rel="next"' not in second


@pytest.mark.parametrize("kind", ["skill", "persona"])
def test_older_installs_are_on_the_next_page(console, agent, monkeypatch, kind):
    monkeypatch.setattr(overview, "MAX_ROWS", 2)
    factory = SkillInstallFactory if kind == "skill" else PersonaInstallFactory
    for number in range(4):
        factory(agent=agent, **{f"{kind}__slug": f"entry-{number}"})

    slugs, page = [], "?"
    while page:
        text = console.get(HOME + page).content.decode()
        slugs += re.findall(rf"/remove-{kind}/([\w-]+)", text)
        page = next(iter(re.findall(rf'"(\?{kind}s=\d+)"', text)), None)

    assert slugs == ["entry-3", "entry-2", "entry-1", "entry-0"]


@pytest.mark.parametrize("query", ["?skills=x", "?skills=" + "9" * 40, "?reviews=-1"])
def test_a_page_that_does_not_exist_is_the_first(console, agent, query):
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")

    assert "pdf-tables" in text_of(console.get(HOME + query))


@pytest.mark.parametrize("query", ["?after=%00", "?after=é", "?agent=x", "?agent=%00&agent=a-b"])
def test_the_list_takes_any_query(console, query):
    assert console.get(f"/operator{query}").status_code == 200


@pytest.mark.contract("19.16")
@pytest.mark.parametrize("path", ["/operator", HOME, f"{HOME}/pause", "/operator/end-sessions"])
def test_no_page_is_cached_framed_or_runs_a_script(console, key, path):
    page = console.get(path)

    text = page.content.decode()
    assert key not in text
    assert not re.search(r"<script|<style|style=|\son\w+=", text)
    assert "no-store" in page.headers["Cache-Control"]
    assert page.headers["Referrer-Policy"] == "strict-origin"
    policy = page.headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"):
        assert rule in policy
    assert "script-src" not in policy


@pytest.mark.parametrize("path", ["/operator", HOME, f"{HOME}/pause", "/operator/end-sessions"])
def test_head_is_get_without_the_page(anyone, console, path):
    for browser in (anyone, console):
        page, head = browser.get(path), browser.head(path)

        assert (head.status_code, head.content) == (page.status_code, b"")
        assert [*head.headers] == [*page.headers]


@pytest.mark.parametrize("path", ["%00", "a%00", "é", "Caller", "caller/no-such", "x" * 5000])
def test_an_unknown_address_is_not_found(console, path):
    page = console.get(f"/operator/agents/{path}")

    assert page.status_code == 404
    assert page.headers["Content-Type"].startswith("text/html")


@pytest.mark.contract("19.5")
@pytest.mark.parametrize("path", ["other", "other/pause", "caller/remove-skill/other-skill"])
def test_an_agent_of_another_operator_is_not_found(console, path):
    page = console.get(f"/operator/agents/{path}")

    assert page.status_code == 404
    assert "Not found" in page.content.decode()
    assert "Log out" in page.content.decode()
    assert "script-src" not in page.headers["Content-Security-Policy"]


def test_it_shows_what_this_operator_did_and_nobody_else(console, client, agent, key, paths):
    console.submit(paths["pause"])
    console.submit(paths["resume"])
    agent.suspend("Spam.")
    agent.take_snapshot(reason="Suspended: Spam.")
    agent.restore()
    assert re.search(
        r"Your actions Resumed\. .+ Paused\. .+ Claimed the agent,", text_of(console.get(HOME))
    )

    new = claim(agent, name="Grace Hopper")

    text = text_of(OperatorBrowser(new).get(HOME))
    assert "Your actions Claimed the agent from Ada Lovelace, with the key" in text
    assert "Paused." not in text
    assert "Spam" not in text
    # Another one may have the same name.
    text = text_of(OperatorBrowser(claim(agent, name="Ada Lovelace")).get(HOME))
    assert "Your actions Claimed the agent from Grace Hopper, with the key" in text
    assert "Paused." not in text


def test_it_reads_no_prompt_of_a_reviewed_persona(console, agent):
    review(agent, PersonaFactory(slug="archivist"), rating=4)

    with CaptureQueriesContext(connection) as queries:
        assert "archivist</a> 4 of 5" in console.get(HOME).content.decode()

    assert [query for query in queries if '"content"' in query["sql"]] == []


def test_the_number_of_statements_does_not_grow(console, agent, key):
    def statements(path):
        with CaptureQueriesContext(connection) as queries:
            assert console.get(path).status_code == 200
        return len(queries)

    SkillInstallFactory(agent=agent, skill__slug="tables")
    PersonaInstallFactory(agent=agent)
    paths = ["/operator", FILTERED, HOME]
    before = [statements(path) for path in paths]
    for number in range(5):
        SkillInstallFactory(agent=agent, skill=SkillFactory())
        PersonaInstallFactory(agent=agent, persona=PersonaFactory())
        other = AgentFactory()
        claim(other, key=key)
        SkillInstallFactory(agent=other, skill=Skill.objects.get(slug="tables"))
        AgentToken.objects.issue(agent)
        send_submission(agent, f"submission_{number}", slug=f"sent-{number}")

    assert [statements(path) for path in paths] == before
    assert before[0] <= 5
    assert before[1] <= 9
    assert before[2] <= 15
