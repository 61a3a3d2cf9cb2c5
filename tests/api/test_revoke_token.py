"""DELETE /api/v1/agents/me/tokens/{tokenId} (contract 15.8)"""

import pytest
from django.utils import timezone

from agents.models import AgentToken
from tests.factories import AgentFactory

URL = "/api/v1/agents/me/tokens"
ME = "/api/v1/agents/me"


@pytest.mark.contract("15.8", "15.12")
def test_an_agent_revokes_one_token_and_the_others_stay(client, client_of, agent):
    other = AgentToken.objects.issue(agent)

    response = client.delete(f"{URL}/{other.public_id}")

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json() == {"message": "Token revoked", "tokenId": other.public_id}
    assert client_of(token=other.text).get(ME).status_code == 401
    assert client.get(URL).json()["count"] == 1
    other.refresh_from_db()
    assert other.revocation_reason == "Deleted by its agent"


@pytest.mark.contract("15.8")
def test_a_token_may_revoke_itself(client, agent):
    response = client.delete(f"{URL}/{agent.token.public_id}/")

    assert response.status_code == 200
    assert response.json() == {"message": "Token revoked", "tokenId": agent.token.public_id}
    assert client.get(URL).status_code == 401


def of_another_agent(_agent):
    return AgentFactory().token.public_id


def revoked(agent):
    token = AgentToken.objects.issue(agent)
    token.revoke("Revoked by staff")
    return token.public_id


def expired(agent):
    return AgentToken.objects.issue(agent, expires_at=timezone.now()).public_id


def primary_key(agent):
    return agent.token.pk


@pytest.mark.contract("4.5", "15.8")
@pytest.mark.parametrize(
    "identifier",
    [
        of_another_agent,
        revoked,
        expired,
        primary_key,
        *(lambda _, text=text: text for text in ("token_unknown", "rotate2", "%00", "a%2Eb", "é")),
    ],
)
def test_any_other_identifier_is_not_found(client, agent, identifier):
    identifier = identifier(agent)
    before = list(AgentToken.objects.values_list("pk", "revoked_at", "revocation_reason"))

    response = client.delete(f"{URL}/{identifier}")

    assert response.status_code == 404
    assert response.json() == {"error": "Token not found"}
    after = AgentToken.objects.values_list("pk", "revoked_at", "revocation_reason")
    assert list(after) == before


@pytest.mark.contract("15.8")
@pytest.mark.parametrize(
    ("scopes", "missing"), [(["read", "install", "review"], "install"), (["review"], "review")]
)
def test_a_token_revokes_none_that_has_more_scopes(client_of, agent, scopes, missing):
    reader = AgentToken.objects.issue(agent, ["read"])
    stronger = AgentToken.objects.issue(agent, scopes)

    response = client_of(token=reader.text).delete(f"{URL}/{stronger.public_id}")

    assert response.status_code == 403
    assert response.json() == {"error": "Insufficient permissions"}
    assert response.headers["WWW-Authenticate"] == (
        f'Bearer realm="marketplace", error="insufficient_scope", scope="{missing}"'
    )
    assert client_of(token=stronger.text).get("/api/v1/skills").status_code == 200
    stronger.refresh_from_db()
    assert stronger.revoked_at is None


def test_a_token_of_the_same_scopes_is_revoked(client_of, agent):
    reader, other = (AgentToken.objects.issue(agent, ["read"]) for _ in range(2))

    response = client_of(token=reader.text).delete(f"{URL}/{other.public_id}")

    assert response.status_code == 200
