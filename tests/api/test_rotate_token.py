"""POST /api/v1/agents/me/tokens/rotate (contract 15.5)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken
from marketplace.api.fields import timestamp
from tests.factories import SkillFactory

URL = "/api/v1/agents/me/tokens/rotate"
TOKENS = "/api/v1/agents/me/tokens"
ME = "/api/v1/agents/me"
INSTALL = "/api/v1/agents/me/skills/install"


def seconds_left(token):
    token.refresh_from_db()
    return pytest.approx((token.expires_at - timezone.now()).total_seconds(), abs=30)


@pytest.mark.contract("15.5")
@pytest.mark.parametrize("body", [b"", b" ", b"{}", {"graceSeconds": 0}, {"graceSeconds": None}])
def test_a_new_token_replaces_that_of_the_request_at_once(client_of, agent, body):
    later = timezone.now() + timedelta(days=1)
    old = AgentToken.objects.issue(agent, ["read", "install"], name="laptop", expires_at=later)

    response = client_of(token=old.text).post(URL, body)

    data, token = response.json(), agent.tokens.first()
    old.refresh_from_db()
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    assert data == {
        "message": "Token rotated. Store the new one now: it is shown only once.",
        "tokenId": token.public_id,
        "name": "laptop",
        "token": data["token"],
        "tokenType": "Bearer",
        "scopes": ["read", "install"],
        "tokenExpiresAt": timestamp(later),
        "createdAt": timestamp(token.created_at),
        "previousTokenExpiresAt": timestamp(old.expires_at),
    }
    assert data["tokenId"] != old.public_id
    assert client_of(token=old.text).get(ME).status_code == 401
    assert client_of(token=data["token"]).get(ME).json()["scopes"] == ["read", "install"]


@pytest.mark.contract("2.2")
def test_rotating_without_a_body_needs_no_content_type(client):
    assert client.generic("POST", URL, b"", content_type="").status_code == 201


@pytest.mark.contract("15.6")
def test_until_the_grace_is_over_the_old_token_can_read_alone(client, agent):
    SkillFactory(slug="pdf-tables")

    response = client.post(URL, {"graceSeconds": 600})

    assert seconds_left(agent.token) == 600
    assert response.json()["previousTokenExpiresAt"] == timestamp(agent.token.expires_at)
    assert response.json()["tokenExpiresAt"] is None
    assert client.get(ME).json()["scopes"] == ["read"]
    assert client.post(INSTALL, {"slug": "pdf-tables"}).status_code == 403
    assert client.get(TOKENS).json()["count"] == 2
    AgentToken.objects.filter(pk=agent.token.pk).update(expires_at=timezone.now())
    assert client.get(ME).status_code == 401


@pytest.mark.contract("15.6")
@pytest.mark.parametrize(("grace", "left"), [(60, 60), (3600, 600), (86_400, 600)])
def test_the_old_token_ends_at_its_own_expiry_if_that_is_earlier(client, agent, grace, left):
    AgentToken.objects.update(expires_at=timezone.now() + timedelta(minutes=10))

    assert client.post(URL, {"graceSeconds": grace}).status_code == 201

    assert seconds_left(agent.token) == left
    assert seconds_left(agent.tokens.first()) == 600


@pytest.mark.contract("15.6")
def test_a_token_in_its_grace_passes_on_no_more_than_it_has(client, agent):
    client.post(URL, {"graceSeconds": 600})

    again = client.post(URL, {"graceSeconds": 60})

    assert again.status_code == 201
    assert again.json()["scopes"] == ["read"]
    assert seconds_left(agent.tokens.first()) == 600
    assert seconds_left(agent.token) == 60


@pytest.mark.contract("15.6")
@pytest.mark.parametrize(
    ("tokens", "grace", "status"),
    [(9, 1, 201), (10, 0, 201), (10, 1, 409), (12, 0, 201), (12, 1, 409)],
)
def test_a_grace_makes_no_eleventh_token(client, agent, tokens, grace, status):
    for _ in range(tokens - 1):
        AgentToken.objects.issue(agent)

    response = client.post(URL, {"graceSeconds": grace})

    assert response.status_code == status
    if status == 409:
        assert response.json() == {"error": "Too many tokens"}
        assert client.get(TOKENS).json()["count"] == tokens
