"""A request that waits for a lock decides by what is true once it has the lock (contract 19.15)"""

from functools import partial

import pytest
from django.utils import timezone

from agents.models import Agent, AgentToken, OperatorClaim, OperatorKey
from installs.models import SkillInstall
from operators.models import OperatorSession
from tests.admin.actions import take_action
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.conftest import ApiClient
from tests.factories import ask_for_code
from tests.operators.claiming import OPERATOR
from tests.operators.conftest import OperatorBrowser

CONFIRM = "/api/v1/agents/me/confirm-claim"
ORIGIN = {"Origin": "http://testserver"}


@pytest.fixture(autouse=True)
def used(transactional_db, agent):
    """Used just now: authenticating does not write, and thus wait for what a test has locked."""
    agent.tokens.update(last_used_at=timezone.now())


def pause(agent):
    agent.lock()
    Agent.objects.get().pause()


def revoke(agent):
    agent.lock()
    agent.token.revoke()


@pytest.mark.parametrize("stop", [pause, revoke])
def test_a_code_is_confirmed_by_nobody_who_was_stopped_meanwhile(agent, stop):
    client, code = ApiClient(raise_request_exception=False), ask_for_code(agent)
    client.token = agent.token.text

    [response] = during(lambda: stop(agent), lambda: client.post(CONFIRM, {"code": code}))

    assert (response.status_code, response.json()) == (401, {"error": "Authentication required"})
    assert OperatorClaim.objects.get().claimed_at is None


@pytest.mark.contract("7.4")
def test_three_of_four_codes_are_valid_if_two_are_requested_at_once(agent, url):
    for _ in range(2):
        ask_for_code(agent)
    people = [OperatorBrowser(), OperatorBrowser()]
    calls = [partial(browser.submit, url, **OPERATOR) for browser in people]

    during(agent.claim.locked().get, *calls)

    claim = OperatorClaim.objects.get()
    assert claim.codes.valid().count() == 3
    assert claim.codes.filter(code_digest=claim.code_digest).exists()


def test_a_code_is_not_confirmed_if_its_url_is_replaced_meanwhile(agent, client):
    code = ask_for_code(agent)

    [response] = during(
        OperatorClaim.objects.get().renew_url, lambda: client.post(CONFIRM, {"code": code})
    )

    assert response.status_code == 410
    assert OperatorClaim.objects.get().claimed_at is None
    assert OperatorClaim.objects.get().secret != agent.claim.secret


def test_all_tokens_are_revoked_also_one_that_is_made_meanwhile(console, agent, paths):
    form = untouched_form(console.get(paths["revoke-tokens"]))

    def make():
        agent.lock()
        AgentToken.objects.issue(agent)

    [page] = during(make, lambda: console.post(paths["revoke-tokens"], form, headers=ORIGIN))

    assert page.status_code == 302
    assert not AgentToken.objects.valid().exists()


def end_session(agent):
    OperatorSession.objects.get().delete()


def end_key(agent):
    OperatorKey.objects.get().revoke("Revoked by staff")


@pytest.mark.contract("19.15")
@pytest.mark.parametrize("end", [end_session, end_key])
def test_nothing_is_done_for_who_was_logged_out_meanwhile(console, agent, paths, end):
    form = untouched_form(console.get(paths["issue-token"]))

    [page] = during(
        lambda: end(agent), lambda: console.post(paths["issue-token"], form, headers=ORIGIN)
    )

    assert (page.status_code, page.headers["Location"]) == (302, "/operator?agent=caller")
    assert AgentToken.objects.count() == 1


def test_a_token_that_leaks_meanwhile_stays_reported_as_leaked(console, agent, paths):
    form = untouched_form(console.get(paths["revoke-token"]))

    [page] = during(
        lambda: AgentToken.objects.revoke_leaked(agent.token.text),
        lambda: console.post(paths["revoke-token"], form, headers=ORIGIN),
    )

    assert page.status_code == 302
    assert AgentToken.objects.get().revocation_reason == "Reported as leaked"


@pytest.mark.parametrize("stop", ["pause", "suspend"])
def test_an_agent_that_is_stopped_meanwhile_changes_nothing_of_itself(agent, stop):
    client = ApiClient(raise_request_exception=False)
    client.token = agent.token.text

    [response] = during(
        getattr(Agent.objects.get(), stop),
        lambda: client.patch("/api/v1/agents/me", {"name": "Other"}),
    )

    assert (response.status_code, response.json()) == (401, {"error": "Authentication required"})
    assert Agent.objects.get().name == "The Caller"


def test_staff_who_suspend_it_meanwhile_see_the_pause_in_its_history(admin_client, agent):
    [page] = during(
        agent.pause, lambda: take_action(admin_client, "suspend", agent, reason="It floods.")
    )

    assert page.status_code == 302
    newest = agent.history.first()
    assert newest.history_change_reason == "Suspended: It floods."
    assert newest.paused_at == Agent.objects.get().paused_at is not None


def test_a_skill_uninstalled_meanwhile_cannot_be_removed(console, agent, paths):
    form = untouched_form(console.get(paths["remove-skill"]))

    [page] = during(
        lambda: SkillInstall.objects.uninstall(agent, "pdf-tables"),
        lambda: console.post(paths["remove-skill"], form, headers=ORIGIN),
    )

    assert page.status_code == 404
    assert agent.history.filter(history_change_reason__startswith="Removed").count() == 0
