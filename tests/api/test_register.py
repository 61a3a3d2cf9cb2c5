"""POST /api/v1/agents/register"""

import re

import pytest

from agents import tokens
from agents.models import Agent, AgentToken
from tests.conftest import MILLISECONDS
from tests.factories import AgentFactory

URL = "/api/v1/agents/register"


@pytest.mark.contract("1.4", "4.9", "5.5", "15.12")
def test_it_registers_an_agent_with_every_field(anyone):
    response = anyone.post(
        URL,
        {
            "name": "Research Bot",
            "handle": "research-bot",
            "description": "Reads papers.",
            "runtime": "python",
        },
    )

    body = response.json()
    agent = Agent.objects.get()
    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    assert MILLISECONDS.fullmatch(body["createdAt"])
    assert body == {
        "message": "Agent registered. Store the token now: it is shown only once.",
        "agentId": agent.public_id,
        "handle": "research-bot",
        "name": "Research Bot",
        "description": "Reads papers.",
        "runtime": "python",
        "token": body["token"],
        "tokenType": "Bearer",
        "scopes": ["read", "install", "review"],
        "tokenExpiresAt": None,
        "claim": {
            "status": "unclaimed",
            "claimUrl": f"http://testserver/claim/{agent.claim.secret}",
            "operator": None,
            "claimedAt": None,
        },
        "createdAt": body["createdAt"],
    }
    assert re.fullmatch(r"agent_[0-9A-Za-z]{16}", body["agentId"])


@pytest.mark.contract("5.1")
def test_the_token_works_immediately(anyone, client_of):
    token = anyone.post(URL).json()["token"]

    assert client_of(token=token).get("/api/v1/agents/me").status_code == 200


@pytest.mark.contract("5.1", "5.4")
@pytest.mark.parametrize("body", [b"", b"  ", b"{}", b'{"name": null, "handle": null}'])
def test_every_field_is_optional(anyone, body):
    response = anyone.generic("POST", URL, body)

    assert response.status_code == 201
    assert re.fullmatch(r"agent-[a-z0-9]{8}", response.json()["handle"])
    assert (
        response.json()["name"]
        == response.json()["description"]
        == response.json()["runtime"]
        == ""
    )


@pytest.mark.contract("2.2")
def test_registering_without_a_body_needs_no_content_type(anyone):
    assert anyone.generic("POST", URL, b"", content_type="").status_code == 201


@pytest.mark.contract("5.4")
@pytest.mark.parametrize(
    ("name", "handle"),
    [
        ("Research Bot", r"research-bot"),
        ("  Émile -- the 2nd  ", r"emile-the-2nd"),
        ("admin", r"admin-[a-z0-9]{8}"),
        ("ab", r"ab-[a-z0-9]{8}"),
        ("研究", r"agent-[a-z0-9]{8}"),
        ("x" * 80, r"x{39}"),
        ("x" * 38 + " y", r"x{38}"),
    ],
)
def test_a_missing_handle_is_made_from_the_name(anyone, name, handle):
    response = anyone.post(URL, {"name": name})

    assert response.status_code == 201
    assert response.json()["name"] == name
    assert re.fullmatch(handle, response.json()["handle"])


@pytest.mark.contract("5.4")
def test_a_generated_handle_is_unique(anyone):
    AgentFactory(handle="research-bot")

    response = anyone.post(URL, {"name": "Research Bot"})

    assert response.status_code == 201
    assert re.fullmatch(r"research-bot-[a-z0-9]{8}", response.json()["handle"])


@pytest.mark.contract("5.3", "5.6")
def test_a_taken_handle_is_a_conflict(anyone):
    AgentFactory(handle="research-bot")

    response = anyone.post(URL, {"handle": "research-bot"})

    assert response.status_code == 409
    assert response.json() == {"error": "Handle already taken"}
    assert Agent.objects.count() == AgentToken.objects.count() == 1


@pytest.mark.contract("5.2")
def test_fields_may_have_their_maximum_length(anyone):
    body = {
        "name": "🙂" * 80,
        "handle": "x" * 39,
        "description": "é" * 500,
        "runtime": "r" * 64,
    }

    response = anyone.post(URL, body)

    assert response.status_code == 201
    assert {name: response.json()[name] for name in body} == body


@pytest.mark.contract("5.1")
def test_an_authorization_header_is_ignored(client_of):
    assert client_of(token="mkt_agent_nonsense").post(URL, {}).status_code == 201


@pytest.mark.contract("4.8")
def test_only_a_digest_and_a_hint_of_the_token_are_stored(anyone):
    text = anyone.post(URL).json()["token"]

    token = AgentToken.objects.get()
    secret = text.removeprefix("mkt_agent_")
    assert token.digest == tokens.digest(text)
    assert token.hint == f"mkt_agent_{secret[:4]}…{secret[-4:]}"
    assert text not in str(AgentToken.objects.values())
