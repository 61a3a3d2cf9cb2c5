"""GET /api/v1/agents/me/tokens (contract 15.1)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken
from marketplace.api.fields import timestamp
from marketplace.models import RateCount
from tests.factories import AgentFactory

URL = "/api/v1/agents/me/tokens"


@pytest.mark.contract("15.1")
def test_it_shows_the_usable_tokens_newest_first(client, agent):
    later = timezone.now() + timedelta(days=1)
    laptop = AgentToken.objects.issue(agent, ["read"], name="laptop", expires_at=later)

    response = client.get(f"{URL}?limit=0")

    agent.token.refresh_from_db()
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json() == {
        "results": [
            {
                "tokenId": laptop.public_id,
                "name": "laptop",
                "hint": f"{laptop.text[:14]}…{laptop.text[-4:]}",
                "scopes": ["read"],
                "createdAt": timestamp(laptop.created_at),
                "lastUsedAt": None,
                "expiresAt": timestamp(later),
                "isCurrent": False,
            },
            {
                "tokenId": agent.token.public_id,
                "name": "",
                "hint": agent.token.hint,
                "scopes": ["read", "install", "review"],
                "createdAt": timestamp(agent.token.created_at),
                "lastUsedAt": timestamp(agent.token.last_used_at),
                "expiresAt": None,
                "isCurrent": True,
            },
        ],
        "count": 2,
        "next": None,
        "previous": None,
    }


@pytest.mark.contract("4.5", "15.1")
def test_it_shows_no_token_that_is_refused_nor_one_of_another_agent(client, agent):
    AgentToken.objects.issue(agent).revoke()
    AgentToken.objects.issue(agent, expires_at=timezone.now())
    AgentFactory()

    response = client.get(URL)

    assert [token["tokenId"] for token in response.json()["results"]] == [agent.token.public_id]
    assert response.json()["count"] == 1


@pytest.mark.contract("15.1")
def test_it_is_counted_against_no_limit(client):
    response = client.get(URL)

    assert "RateLimit" not in response.headers
    assert not RateCount.objects.exists()
