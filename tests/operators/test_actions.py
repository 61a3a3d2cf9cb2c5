"""What an operator does with an agent in the console (lifecycle 17)"""

import re

import pytest

from agents.models import Agent, AgentToken, OperatorClaim
from installs.models import PersonaInstall, SkillInstall
from operators.actions import ACTIONS
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaInstallFactory, SkillInstallFactory, claim

HOME = "/operator/agents/caller"
ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")
UNAUTHENTICATED = (401, {"error": "Authentication required"})


def everything():
    models = [Agent, AgentToken, OperatorClaim, SkillInstall, PersonaInstall, Agent.history]
    rows = [getattr(model, "objects", model).order_by("pk").values() for model in models]
    return [[{**row, "last_used_at": None} for row in each] for each in rows]


def history(agent):
    """Who has done what, the latest first."""
    return [(each.operator, each.history_change_reason) for each in agent.history.all()]


@pytest.mark.parametrize("name", ACTIONS)
def test_each_is_asked_before_it_is_done(console, paths, name):
    before = everything()

    page = console.get(paths[name])

    text = page.content.decode()
    assert page.status_code == 200
    assert "caller" in re.search("<h1>(.*)</h1>", text)[1] or name == "revoke-token"
    assert f'<a href="{HOME}">Cancel</a>' in text
    assert everything() == before


@pytest.mark.parametrize("name", ACTIONS)
def test_each_says_that_it_is_done_and_tells_staff_who_did_it(console, agent, paths, name):
    page = console.submit(paths[name])

    assert page.status_code in {200, 302}
    if page.status_code == 302:
        assert ACTIONS[name].done in console.get(page.headers["Location"]).content.decode()
    [(operator, reason), *before] = history(agent)
    assert operator == "Ada Lovelace"
    assert reason.startswith(ACTIONS[name].note.partition("{")[0])
    assert before == [("Ada Lovelace", "Claimed the agent."), ("", "Snapshot before the change")]


@pytest.mark.parametrize("name", ACTIONS)
def test_another_operator_cannot_do_it_nor_see_it(stranger, key, paths, name):
    before = everything()
    form = untouched_form(stranger.get("/operator/end-sessions"))

    pages = [stranger.get(paths[name]), stranger.post(paths[name], form | {"scopes": ["read"]})]

    assert [page.status_code for page in pages] == [404, 404]
    assert everything() == before


@pytest.mark.parametrize("name", ["revoke-token", "remove-skill", "remove-persona"])
def test_what_another_agent_has_is_out_of_reach(console, paths, name):
    other = AgentFactory()
    SkillInstallFactory(agent=other, skill__slug="theirs")
    PersonaInstallFactory(agent=other, persona__slug="theirs")
    theirs = other.token.public_id if name == "revoke-token" else "theirs"
    before, form = everything(), untouched_form(console.get(paths["pause"]))

    pages = [console.get(f"{HOME}/{name}/{theirs}"), console.post(f"{HOME}/{name}/{theirs}", form)]

    assert [page.status_code for page in pages] == [404, 404]
    assert everything() == before


@pytest.mark.parametrize("name", ACTIONS)
def test_who_has_not_logged_in_is_led_to_the_form(operator, key, paths, name):
    before, form = everything(), untouched_form(operator.get("/operator"))

    pages = [operator.get(paths[name]), operator.post(paths[name], form)]

    assert {page.headers["Location"] for page in pages} == {"/operator"}
    assert everything() == before


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("headers", [{}, {"Origin": "null"}, {"Origin": "https://evil.example"}])
def test_none_is_done_from_elsewhere(console, paths, name, headers):
    before = everything()
    form = untouched_form(console.get(paths[name])) if headers else {}

    assert console.post(paths[name], form, headers=headers).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("name", ACTIONS)
def test_none_is_done_with_an_agent_that_was_released(console, agent, key, paths, name):
    form = untouched_form(console.get(paths[name]))
    claim(AgentFactory(), key=key)
    agent.claim.release()
    before = everything()

    page = console.post(paths[name], form, headers={"Origin": "http://testserver"})

    assert page.status_code == 404
    assert everything() == before
