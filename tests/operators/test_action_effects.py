"""What each action of the operator's console does (contract 19.6)"""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Agent, AgentToken, OperatorKey
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, claim
from tests.operators.claiming import CONFIRM, GRACE, code_and_keys
from tests.operators.conftest import OperatorBrowser

HOME = "/operator/agents/caller"
ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")
UNAUTHENTICATED = (401, {"error": "Authentication required"})


def history(agent):
    """The actions and their operators, the latest first."""
    return [(snapshot.operator, snapshot.history_change_reason) for snapshot in agent.history.all()]


# Pause and resume


@pytest.mark.contract("19.6", "19.9")
def test_a_paused_agent_is_refused_until_it_is_resumed(console, client, agent, paths):
    console.submit(paths["pause"])

    refused = client.get(ME)
    assert (refused.status_code, refused.json()) == UNAUTHENTICATED
    assert client.post(INSTALL, {"slug": "x"}).status_code == 401
    text = console.get(HOME).content.decode()
    assert "You paused this agent on" in text
    assert agent.handle in console.get("/operator").content.decode()
    console.submit(paths["resume"])
    assert client.get(ME).status_code == 200
    assert "You paused" not in console.get(HOME).content.decode()


def test_pausing_twice_keeps_the_first_time(console, paths):
    console.submit(paths["pause"])
    [first] = Agent.objects.values_list("paused_at", flat=True)
    console.submit(paths["pause"])

    assert Agent.objects.get().paused_at == first


@pytest.mark.contract("19.10")
def test_resuming_lifts_no_suspension_and_staff_no_pause(console, client, agent, paths):
    agent.suspend("Spam.")
    console.submit(paths["pause"])
    console.submit(paths["resume"])
    text = console.get(HOME).content.decode()
    assert client.get(ME).status_code == 401
    assert "Staff have suspended this agent" in text
    assert "Spam." not in text
    console.submit(paths["pause"])
    Agent.objects.get().restore()

    assert client.get(ME).status_code == 401
    console.submit(paths["resume"])
    assert client.get(ME).status_code == 200


# Tokens


@pytest.mark.contract("4.13", "15.12", "19.6")
def test_an_agent_that_has_lost_its_token_comes_back(console, client_of, agent, paths):
    agent.token.revoke()

    page = console.submit(paths["issue-token"], name="laptop", expires_in_days="30")

    [text] = TOKEN.findall(page.content.decode())
    assert page.status_code == 200
    assert "no-store" in page.headers["Cache-Control"]
    assert client_of(token=text).get(ME).json()["scopes"] == ["read", "install", "review"]
    token = AgentToken.objects.latest("pk")
    left = token.expires_at - timezone.now()
    assert token.name == "laptop"
    assert timedelta(days=29, hours=23) < left <= timedelta(days=30)
    assert text not in console.get(HOME).content.decode()
    address = f"{HOME}/tokens/{token.public_id}"
    assert text in console.get(address).content.decode()
    assert agent.tokens.count() == 2
    console.cookies.pop("shown-once")
    assert console.get(address)["Location"] == HOME
    assert [
        (snapshot.operator, snapshot.history_change_reason) for snapshot in token.history.all()
    ] == [("Ada Lovelace", "Issued.")]
    assert history(agent)[0] == ("Ada Lovelace", f"Issued the token {token.hint}.")


def test_a_token_is_shown_to_nobody_but_the_operator_who_has_issued_it(console, agent, paths):
    assert TOKEN.search(console.submit(paths["issue-token"]).content.decode())
    address = f"{HOME}/tokens/{AgentToken.objects.latest('pk').public_id}"
    next_operator = OperatorBrowser(claim(agent))
    next_operator.cookies["shown-once"] = console.cookies["shown-once"].value

    page = next_operator.get(address)

    assert (page.status_code, page.content, page["Location"]) == (302, b"", HOME)


def test_the_page_of_another_token_shows_nothing(console, agent, paths):
    assert TOKEN.search(console.submit(paths["issue-token"]).content.decode())

    # The browser sends the cookie here, too, whatever its path.
    page = console.get(f"{HOME}/tokens/{agent.token.public_id}")

    assert (page.status_code, page.content, page["Location"]) == (302, b"", HOME)


def test_the_scopes_of_a_token_are_in_their_order_however_they_are_sent(console, paths):
    console.submit(paths["issue-token"], scopes=["install", "read", "install"])

    assert AgentToken.objects.latest("pk").scopes == ["read", "install"]


def test_a_form_with_a_mistake_issues_nothing(console, paths):
    for fields in (
        {"scopes": []},
        {"scopes": ["admin"]},
        {"expires_in_days": "0"},
        {"expires_in_days": "3651"},
        {"expires_in_days": "soon"},
        {"name": "x" * 81},
        {"name": "mkt_agent_" + "a" * 38},
        {"name": "\0"},
    ):
        page = console.submit(paths["issue-token"], **fields)

        assert page.status_code == 400, fields
        assert 'class="error"' in page.content.decode(), fields
        assert AgentToken.objects.count() == 1, fields


@pytest.mark.contract("15.4")
def test_an_operator_issues_more_than_an_agent_may_make(console, client, agent, paths):
    for _ in range(9):
        AgentToken.objects.issue(agent)

    assert console.submit(paths["issue-token"]).status_code == 200
    assert client.post(f"{ME}/tokens", {}).status_code == 409


@pytest.mark.contract("19.6")
def test_an_operator_revokes_one_token_and_the_others_stay(
    console, client, client_of, agent, paths
):
    other = client_of(token=AgentToken.objects.issue(agent).text)

    console.submit(paths["revoke-token"])

    assert client.get(ME).status_code == 401
    assert other.get(ME).status_code == 200
    token = AgentToken.objects.get(pk=agent.token.pk)
    assert token.revocation_reason == "Revoked by its operator"
    assert token.history.first().operator == "Ada Lovelace"
    assert console.get(paths["revoke-token"]).status_code == 404


@pytest.mark.contract("19.6")
def test_all_tokens_of_a_paused_agent_can_be_revoked(console, agent, paths):
    AgentToken.objects.issue(agent)
    console.submit(paths["pause"])
    assert console.get(paths["revoke-token"]).status_code == 200

    console.submit(paths["revoke-tokens"])

    assert not AgentToken.objects.filter(revoked_at=None).exists()
    assert "None. Issue one to bring the agent back." in console.get(HOME).content.decode()
    assert console.get(paths["revoke-tokens"]).status_code == 404


@pytest.mark.contract("19.8")
def test_actions_are_limited_by_operator(console, stranger, key, paths, rates):
    rates(manage="2/h")
    claim(AgentFactory(handle="second"), key=key)
    assert [console.submit(paths["pause"]).status_code for _ in range(2)] == [302, 302]

    page = console.submit(paths["resume"])

    assert page.status_code == 429
    assert 1 <= int(page.headers["Retry-After"]) <= 3600
    assert Agent.objects.get(handle="caller").paused_at is not None
    assert console.submit("/operator/agents/second/pause").status_code == 429
    assert stranger.submit("/operator/agents/other/pause").status_code == 302


# Installs


@pytest.mark.contract("19.6")
@pytest.mark.parametrize("stop", ["nothing", "pause", "suspend"])
def test_a_skill_is_removed_and_counts_as_before(console, client, agent, paths, stop):
    if stop != "nothing":
        getattr(Agent.objects.get(), stop)()

    console.submit(paths["remove-skill"])

    install = SkillInstall.objects.get()
    assert install.removed_at is not None
    Agent.objects.update(paused_at=None, suspended_at=None)
    assert client.get(ME).json()["skills"] == []
    assert history(agent)[0] == ("Ada Lovelace", "Removed the skill pdf-tables.")
    assert console.get(paths["remove-skill"]).status_code == 404
    assert client.post(INSTALL, {"slug": "pdf-tables"}).status_code == 201


def test_the_active_persona_is_removed_even_if_it_was_withdrawn(console, client, agent, paths):
    PersonaInstall.objects.get().persona.recall("It lies.")

    console.submit(paths["remove-persona"])

    profile = client.get(ME).json()
    assert profile["personas"] == []
    assert profile["activePersona"] is None
    assert profile["advisories"] == []
    assert history(agent)[0] == ("Ada Lovelace", "Removed the persona archivist.")


# The claim URL, and release


@pytest.mark.contract("19.6")
def test_a_new_claim_url_ends_the_old_one_and_what_was_asked_for_there(
    console, operator, client, agent, paths
):
    old = f"/claim/{agent.claim.secret}"
    code, _ = code_and_keys(operator.submit(old, **GRACE))
    assert "Somebody is trying to claim this agent" in console.get(HOME).content.decode()

    console.submit(paths["new-claim-url"])

    claim = client.get(ME).json()["claim"]
    new = claim.pop("claimUrl").removeprefix("http://testserver")
    assert claim["status"] == "claimed"
    assert claim["operator"] == {"name": "Ada Lovelace"}
    assert operator.get(old).status_code == 404
    response = client.post(CONFIRM, {"code": code})
    assert (response.status_code, response.json()) == (409, {"error": "Agent is already claimed"})
    assert "Somebody is trying" not in console.get(HOME).content.decode()
    # The key that came with the code is forgotten.
    assert OperatorKey.objects.count() == 1
    code, [key] = code_and_keys(operator.submit(new, **GRACE))
    assert client.post(CONFIRM, {"code": code}).status_code == 200
    assert operator.log_in(key).status_code == 302


@pytest.mark.contract("19.6", "19.14")
def test_a_released_agent_has_a_new_url_and_nothing_of_its_operator(
    console, client, agent, key, paths
):
    old = agent.claim.secret
    console.submit(paths["limits"], install="1")
    console.submit(paths["pause"])

    page = console.submit(paths["release"])

    assert page.headers["Location"] == "/operator"
    profile = client.get(ME).json()
    assert profile["claim"]["status"] == "unclaimed"
    assert profile["claim"]["operator"] is None
    assert not profile["claim"]["claimUrl"].endswith(old)
    assert client.get(f"{ME}/limits").json()["limits"][0]["limit"] == 20
    assert console.get(f"/claim/{old}").status_code == 404
    assert OperatorBrowser().log_in(key).status_code == 400
