"""A write of tokens that waits for a lock decides by the state after it has the lock.

The requests are sent while another transaction holds the lock. That transaction commits once all
requests are waiting.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken
from tests.api.concurrency import during
from tests.conftest import ApiClient

TOKENS = "/api/v1/agents/me/tokens"
ROTATE = "/api/v1/agents/me/tokens/rotate"
UNAUTHORISED = {"error": "Authentication required"}


@pytest.fixture(autouse=True)
def used(transactional_db, agent):
    """Recently used, so that authenticating does not write, and so wait for a lock of the test."""
    agent.tokens.update(last_used_at=timezone.now())


def sent(token, method, path, body=""):
    client = ApiClient(raise_request_exception=False)
    client.token = token.text
    return lambda: client.generic(method, path, body)


def create(token, body="{}"):
    return sent(token, "POST", TOKENS, body)


def rotate(token, body="{}"):
    return sent(token, "POST", ROTATE, body)


def delete(token, other):
    return sent(token, "DELETE", f"{TOKENS}/{other.public_id}")


def usable_tokens(agent):
    return agent.tokens.usable().count()


@pytest.mark.contract("15.4")
def test_concurrent_creations_stop_at_ten_tokens(agent):
    for _ in range(8):
        AgentToken.objects.issue(agent)

    responses = during(agent.lock, *[create(agent.token)] * 10)

    assert sorted(response.status_code for response in responses) == [201] + [409] * 9
    assert usable_tokens(agent) == 10


def test_concurrent_rotations_with_grace_stop_at_ten_tokens(agent):
    others = [AgentToken.objects.issue(agent) for _ in range(8)]

    responses = during(agent.lock, *[rotate(token, '{"graceSeconds": 60}') for token in others])

    assert sorted(response.status_code for response in responses) == [201] + [409] * 7
    assert usable_tokens(agent) == 10


@pytest.mark.contract("15.7")
def test_a_token_is_rotated_once(agent):
    first, second = sorted(
        during(agent.lock, rotate(agent.token), rotate(agent.token)),
        key=lambda response: response.status_code,
    )

    assert (first.status_code, second.status_code) == (201, 401)
    assert second.json() == UNAUTHORISED
    assert second["WWW-Authenticate"] == 'Bearer realm="marketplace", error="invalid_token"'
    assert usable_tokens(agent) == 1


def test_a_token_that_is_rotated_with_a_grace_passes_its_scopes_on_once(agent):
    grace = rotate(agent.token, '{"graceSeconds": 60}')

    responses = during(agent.lock, grace, grace)

    assert [response.status_code for response in responses] == [201, 201]
    scopes = sorted(response.json()["scopes"] for response in responses)
    assert scopes == [["read"], ["read", "install", "review"]]


def test_a_token_that_is_rotated_concurrently_gives_only_reading(agent):
    def rotate_first():
        AgentToken.objects.authenticate(agent.token.text).rotate(timedelta(minutes=1))

    (response,) = during(rotate_first, create(agent.token, '{"scopes": ["read", "install"]}'))

    assert response.status_code == 403
    assert 'scope="install"' in response["WWW-Authenticate"]
    assert usable_tokens(agent) == 2


@pytest.mark.parametrize("write", [create, rotate, lambda token: delete(token, token)])
@pytest.mark.parametrize(
    "end",
    [
        lambda agent: agent.token.revoke("Revoked by staff"),
        lambda agent: AgentToken.objects.revoke_leaked(agent.token.text),
        lambda agent: agent.suspend(),
    ],
    ids=["revoked", "leaked", "suspended"],
)
def test_a_token_that_is_refused_meanwhile_writes_nothing(agent, write, end):
    (response,) = during(lambda: end(agent), write(agent.token))

    assert response.status_code == 401
    assert response.json() == UNAUTHORISED
    assert agent.tokens.count() == 1


def test_two_tokens_that_revoke_each_other_leave_one(agent):
    other = AgentToken.objects.issue(agent)

    responses = during(agent.lock, delete(agent.token, other), delete(other, agent.token))

    assert sorted(response.status_code for response in responses) == [200, 401]
    assert usable_tokens(agent) == 1
