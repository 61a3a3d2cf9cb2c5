"""POST /api/v1/agents/me/confirm-claim, and the claim in the profile (contract 7)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import ClaimCode, OperatorClaim
from marketplace.api.fields import timestamp
from tests.factories import AgentFactory, ask_for_code

URL = "/api/v1/agents/me/confirm-claim"
WRONG = "BBBB-BBBB"


@pytest.fixture
def code(agent):
    """The code that the operator saw."""
    return ask_for_code(agent)


def status_of(client):
    return client.get("/api/v1/agents/me").json()["claim"]["status"]


@pytest.mark.contract("7.6")
def test_the_right_code_claims_the_agent(client, agent, code):
    assert status_of(client) == "pending"

    response = client.post(URL, {"code": code})

    claimed_at = timestamp(OperatorClaim.objects.get().claimed_at)
    claim = {"status": "claimed", "operator": {"name": "Ada Lovelace"}, "claimedAt": claimed_at}
    assert response.status_code == 200
    assert response.json() == {
        "message": "Claim confirmed",
        "agentId": agent.public_id,
        "handle": "caller",
        "claim": claim,
    }
    profile = client.get("/api/v1/agents/me").json()
    assert profile["claim"] == {
        **claim,
        "claimUrl": f"http://testserver/claim/{agent.claim.secret}",
    }


@pytest.mark.contract("7.6")
@pytest.mark.parametrize("spelling", [str.lower, lambda code: f" {code.replace('-', ' ')} "])
def test_case_spaces_and_hyphen_are_ignored(client, code, spelling):
    assert client.post(URL, {"code": spelling(code)}).status_code == 200


@pytest.mark.contract("7.7")
def test_the_same_code_again_is_fine(client, code):
    first = client.post(URL, {"code": code})

    second = client.post(URL, {"code": code})

    assert second.status_code == 200
    assert second.json() == first.json()


@pytest.mark.contract("7.10")
def test_another_code_is_a_conflict_once_claimed(client, code):
    client.post(URL, {"code": code})

    response = client.post(URL, {"code": WRONG})

    assert response.status_code == 409
    assert response.json() == {"error": "Agent is already claimed"}


@pytest.mark.contract("7.10")
@pytest.mark.parametrize("body", [{}, {"code": None}])
def test_a_missing_code_is_refused(client, code, body):
    response = client.post(URL, body)

    assert response.status_code == 400
    assert response.json() == {"error": "code is required"}


@pytest.mark.contract("7.8")
@pytest.mark.parametrize("wrong", [WRONG, "", "é" * 40, "1234"])
def test_a_wrong_claim_code_is_refused(client, code, wrong):
    response = client.post(URL, {"code": wrong})

    assert response.status_code == 400
    assert response.json() == {"error": "Invalid claim code"}
    assert status_of(client) == "pending"


@pytest.mark.contract("7.8")
@pytest.mark.parametrize("nothing", ["", WRONG])
def test_any_code_is_wrong_where_none_is_pending(client, nothing):
    response = client.post(URL, {"code": nothing})

    assert response.status_code == 400
    assert response.json() == {"error": "Invalid claim code"}
    assert status_of(client) == "unclaimed"


@pytest.mark.contract("7.8")
def test_the_fifth_wrong_code_burns_the_right_one(client, code):
    responses = [client.post(URL, {"code": WRONG}) for _ in range(5)]

    assert [response.status_code for response in responses] == [400] * 5
    for given in (code, WRONG):
        response = client.post(URL, {"code": given})
        assert response.status_code == 410
        assert response.json() == {"error": "Claim code has expired"}
    assert status_of(client) == "pending"


@pytest.mark.contract("7.8")
def test_five_wrong_codes_burn_all_that_are_valid(client, agent, code):
    codes = [code, *(ask_for_code(agent) for _ in range(2))]

    responses = [client.post(URL, {"code": given}) for given in [WRONG] * 5 + codes]

    assert [response.status_code for response in responses] == [400] * 5 + [410] * 3
    assert status_of(client) == "pending"


def test_wrong_codes_count_for_those_that_were_valid(client, agent, code):
    for _ in range(3):
        client.post(URL, {"code": WRONG})
    newer = ask_for_code(agent, name="Grace Hopper")

    statuses = [client.post(URL, {"code": given}).status_code for given in (WRONG, WRONG, code)]

    assert statuses == [400, 400, 410]
    assert client.post(URL, {"code": newer}).json()["claim"]["operator"] == {"name": "Grace Hopper"}


@pytest.mark.contract("7.8")
def test_four_wrong_codes_do_not_burn_it(client, code):
    for _ in range(4):
        client.post(URL, {"code": WRONG})

    assert client.post(URL, {"code": code}).status_code == 200


@pytest.mark.contract("7.8")
@pytest.mark.parametrize("given", ["right", "wrong"])
def test_a_code_expires_after_15_minutes(client, code, given):
    lifetime = ClaimCode.objects.get().code_expires_at - timezone.now()
    assert timedelta(minutes=14) < lifetime <= timedelta(minutes=15)
    ClaimCode.objects.update(code_expires_at=timezone.now())

    response = client.post(URL, {"code": code if given == "right" else WRONG})

    assert response.status_code == 410
    assert response.json() == {"error": "Claim code has expired"}


@pytest.mark.contract("7.9")
def test_a_new_code_replaces_a_burnt_one(client, agent, code):
    for _ in range(5):
        client.post(URL, {"code": WRONG})
    new = ask_for_code(agent, name="Grace Hopper", email="grace@example.com")

    assert client.post(URL, {"code": code}).json() == {"error": "Invalid claim code"}
    assert client.post(URL, {"code": new}).json()["claim"]["operator"] == {"name": "Grace Hopper"}


def test_a_code_of_another_agent_is_wrong(client_of, code):
    other = AgentFactory()
    ask_for_code(other)

    assert client_of(other).post(URL, {"code": code}).status_code == 400


def test_a_confirmation_reads_the_agent_once(client, code, django_assert_max_num_queries):
    with django_assert_max_num_queries(22):
        assert client.post(URL, {"code": code}).status_code == 200


@pytest.mark.contract("7.11")
def test_the_operator_is_not_shown_before_the_claim_is_confirmed(client, code):
    assert client.get("/api/v1/agents/me").json()["claim"]["operator"] is None
