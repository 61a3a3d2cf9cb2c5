"""What waits for the agent's lock answers by what is true once it has the lock (lifecycle 17)"""

import pytest
from django.utils import timezone

from agents.models import Agent, AgentToken, OperatorClaim
from installs.models import SkillInstall
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.conftest import ApiClient
from tests.factories import ask_for_code

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


def test_all_tokens_are_revoked_also_one_that_is_made_meanwhile(console, agent, paths):
    form = untouched_form(console.get(paths["revoke-tokens"]))

    def make():
        agent.lock()
        AgentToken.objects.issue(agent)

    [page] = during(make, lambda: console.post(paths["revoke-tokens"], form, headers=ORIGIN))

    assert page.status_code == 302
    assert not AgentToken.objects.valid().exists()


def test_what_the_agent_uninstalls_meanwhile_cannot_be_removed(console, agent, paths):
    form = untouched_form(console.get(paths["remove-skill"]))

    [page] = during(
        lambda: SkillInstall.objects.uninstall(agent, "pdf-tables"),
        lambda: console.post(paths["remove-skill"], form, headers=ORIGIN),
    )

    assert page.status_code == 404
    assert agent.history.filter(history_change_reason__startswith="Removed").count() == 0
