"""What a claim allows by the token that confirmed it, and whom it is told to (contract 19.12)"""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents import tokens
from agents.models import Agent, AgentToken, ClaimCode, OperatorClaim, OperatorKey
from operators.actions import ACTIONS
from tests.browser import untouched_form
from tests.factories import ask_for_code, claim_by_code
from tests.operators.claiming import CONFIRM, GRACE, code_and_keys
from tests.operators.conftest import OperatorBrowser


@pytest.mark.contract("19.12")
def test_a_token_with_fewer_scopes_than_the_claims_cannot_give_the_agent_away(
    operator, client_of, url, agent, key
):
    reader = client_of(token=AgentToken.objects.issue(agent, ["read", "review"]).text)
    code, [new] = code_and_keys(operator.submit(url, **GRACE))

    response = reader.post(CONFIRM, {"code": code})

    assert (response.status_code, response.json()) == (403, {"error": "Insufficient permissions"})
    assert 'scope="install"' in response.headers["WWW-Authenticate"]
    assert operator.log_in(new).status_code == 400


def read_only(agent):
    return AgentToken.objects.issue(agent, ["read"])


def for_a_day(agent):
    return AgentToken.objects.issue(agent, expires_at=timezone.now() + timedelta(days=1))


@pytest.mark.contract("19.12")
@pytest.mark.parametrize("lesser", [read_only, for_a_day])
def test_a_claim_by_a_limited_token_allows_only_looking_and_releasing(
    client_of, agent, paths, lesser
):
    key = tokens.mint_key()
    response = client_of(token=lesser(agent).text).post(
        CONFIRM, {"code": ask_for_code(agent, key=key)}
    )
    assert response.status_code == 200
    browser = OperatorBrowser(key)
    form = untouched_form(browser.get("/operator/end-sessions")) | {"scopes": ["read"]}

    for name in ACTIONS:
        if name != "release":
            pages = [browser.get(paths[name]), browser.post(paths[name], form)]
            assert [page.status_code for page in pages] == [403, 403], name
            assert "To do more, claim it again" in pages[1].content.decode(), name
    assert AgentToken.objects.filter(revoked_at=None).count() == 2
    assert Agent.objects.get().paused_at is None
    text = browser.get("/operator/agents/caller").content.decode()
    assert "pdf-tables" in text
    assert "To do more, claim it again" in text
    assert re.findall('href="/operator/agents/caller/(.*?)"', text) == ["export", "release"]
    pages = [browser.get(paths["release"]), browser.post(paths["release"], form)]
    assert [page.status_code for page in pages] == [200, 302]


@pytest.mark.contract("19.12")
@pytest.mark.parametrize("lesser", [read_only, for_a_day])
def test_a_full_token_takes_the_agent_back(client, client_of, agent, lesser):
    client_of(token=lesser(agent).text).post(CONFIRM, {"code": ask_for_code(agent)})
    key = tokens.mint_key()

    assert client.post(CONFIRM, {"code": ask_for_code(agent, key=key)}).status_code == 200
    page = OperatorBrowser(key).get("/operator/agents/caller/issue-token")
    assert untouched_form(page)["scopes"] == ["read", "install", "review"]


@pytest.mark.contract("19.12")
def test_a_token_that_expires_cannot_give_the_agent_away(operator, client_of, url, agent, key):
    code, _ = code_and_keys(operator.submit(url, **GRACE))

    response = client_of(token=for_a_day(agent).text).post(CONFIRM, {"code": code})

    assert (response.status_code, response.json()) == (403, {"error": "Insufficient permissions"})


# What others are told


def test_staff_see_who_had_the_agent_before(operator, client, url, agent):
    claim_by_code(agent)
    code, _ = code_and_keys(operator.submit(url, **GRACE))
    client.post(CONFIRM, {"code": code})

    old, new = OperatorKey.objects.order_by("pk")
    events = [
        (snapshot.operator, snapshot.history_change_reason) for snapshot in agent.history.all()
    ]
    assert events == [
        ("Grace Hopper", f"Claimed the agent from Ada Lovelace, with the key {new}."),
        ("Ada Lovelace", f"Claimed the agent, with the key {old}."),
        ("", "Snapshot before the change"),
    ]


def test_the_operator_sees_that_somebody_asks_for_the_agent(operator, console, url):
    path = "/operator/agents/caller"
    assert "Somebody is trying" not in console.get(path).content.decode()

    operator.submit(url, **GRACE)

    text = console.get(path).content.decode()
    assert "Somebody is trying to claim this agent" in text
    assert "Grace Hopper" in text
    assert f'href="{path}/new-claim-url"' in text
    assert "grace@example.com" not in text
    ClaimCode.objects.update(wrong_codes=5)
    assert "Somebody is trying" not in console.get(path).content.decode()
    ClaimCode.objects.update(wrong_codes=4)
    assert "Somebody is trying" in console.get(path).content.decode()
    ClaimCode.objects.update(code_expires_at=timezone.now())
    assert "Somebody is trying" not in console.get(path).content.decode()


@pytest.mark.parametrize("stop", ["pause", "suspend"])
def test_the_page_says_where_the_agent_cannot_confirm(operator, agent, url, stop):
    getattr(agent, stop)()

    assert "so it cannot confirm a code." in operator.get(url).content.decode()


def test_a_code_asked_for_by_an_url_that_has_ended_is_a_404(operator, agent, url, key):
    form = untouched_form(operator.get(url)) | GRACE
    stale = OperatorClaim.objects.get()
    agent.claim.release()

    with pytest.raises(OperatorClaim.DoesNotExist):
        stale.request_code(**GRACE, key=tokens.mint_key())
    assert operator.post(url, form).status_code == 404
