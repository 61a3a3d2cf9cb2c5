"""POST /api/v1/agents/me/tokens (contract 15.2)"""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from agents import tokens
from agents.models import AgentToken
from marketplace.api.fields import timestamp

URL = "/api/v1/agents/me/tokens"
ME = "/api/v1/agents/me"
SCOPES = "scopes must be a list of one or more of read, install, review, clone, submit"
DAYS = "expiresInDays must be a whole number from 1 to 365"


def in_days(days):
    return pytest.approx(timezone.now() + timedelta(days=days), abs=timedelta(minutes=1))


@pytest.mark.contract("15.2", "15.12")
def test_it_makes_a_token_that_works(client, client_of, agent):
    response = client.post(URL, {"name": "laptop", "scopes": ["read"], "expiresInDays": 30})

    body, token = response.json(), agent.tokens.first()
    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    assert body == {
        "message": "Token created. Store it now: it is shown only once.",
        "tokenId": token.public_id,
        "name": "laptop",
        "token": body["token"],
        "tokenType": "Bearer",
        "scopes": ["read"],
        "tokenExpiresAt": timestamp(token.expires_at),
        "createdAt": timestamp(token.created_at),
    }
    assert re.fullmatch(r"token_[0-9A-Za-z]{16}", body["tokenId"])
    assert token.expires_at == in_days(30)
    assert client_of(token=body["token"]).get(ME).json()["scopes"] == ["read"]
    assert agent.tokens.count() == 2


@pytest.mark.contract("15.3")
@pytest.mark.parametrize(
    "body", [{}, {"name": None, "scopes": None, "expiresInDays": None}, {"name": ""}]
)
def test_by_default_it_can_do_what_its_maker_can(client_of, agent, body):
    later = timezone.now() + timedelta(days=1)
    maker = AgentToken.objects.issue(agent, ["read", "review"], name="maker", expires_at=later)

    response = client_of(token=maker.text).post(URL, body)

    assert response.status_code == 201
    assert (response.json()["name"], response.json()["scopes"]) == ("", ["read", "review"])
    assert response.json()["tokenExpiresAt"] == timestamp(later)


@pytest.mark.contract("15.12")
def test_without_an_expiry_of_either_it_does_not_expire(client):
    assert client.post(URL).json()["tokenExpiresAt"] is None


@pytest.mark.contract("15.3")
@pytest.mark.parametrize(("days", "kept"), [(1, 1), (2, 2), (3, 2), (365, 2)])
def test_it_expires_with_its_maker_at_the_latest(client, agent, days, kept):
    AgentToken.objects.update(expires_at=timezone.now() + timedelta(days=2))

    assert client.post(URL, {"expiresInDays": days}).status_code == 201

    assert agent.tokens.first().expires_at == in_days(kept)


def test_scopes_are_stored_once_and_in_their_order(client):
    response = client.post(URL, {"scopes": ["review", "read", "review"]})

    assert response.json()["scopes"] == ["read", "review"]


@pytest.mark.contract("3.6", "15.3")
@pytest.mark.parametrize(
    ("scopes", "missing"),
    [(["install"], "install"), (["read", "review"], "review"), (["review", "install"], "install")],
)
def test_it_gets_no_scope_that_its_maker_lacks(client_of, agent, scopes, missing):
    reader = AgentToken.objects.issue(agent, ["read"])

    response = client_of(token=reader.text).post(URL, {"scopes": scopes})

    assert response.status_code == 403
    assert response.json() == {"error": "Insufficient permissions"}
    assert response.headers["WWW-Authenticate"] == (
        f'Bearer realm="marketplace", error="insufficient_scope", scope="{missing}"'
    )
    assert agent.tokens.count() == 2


@pytest.mark.contract("15.3")
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"name": 5}, "name must be a string"),
        ({"name": "x" * 81}, "name must be at most 80 characters"),
        ({"name": f"of mkt_agent_{'x' * 38}"}, "name must not hold a token"),
        ({"name": "lap\u202etop"}, "name must not contain control characters"),
        *(
            ({"scopes": scopes}, SCOPES)
            for scopes in ([], ["admin"], ["read", "Review"], ["read", 5], [["read"]], "read", {})
        ),
        *(({"expiresInDays": days}, DAYS) for days in (0, 366, -1, True, 3.0, "30", [30])),
        ({"name": 5, "scopes": 5, "expiresInDays": 0}, f"name must be a string; {SCOPES}; {DAYS}"),
        (b"", "Request body is not valid JSON"),
        (b"[]", "Request body must be a JSON object"),
    ],
    ids=str,
)
def test_an_invalid_body_is_refused_before_its_scopes(client_of, agent, body, error):
    reader = AgentToken.objects.issue(agent, ["read"])

    response = client_of(token=reader.text).post(URL, body)

    assert response.status_code == 400
    assert response.json() == {"error": error}
    assert agent.tokens.count() == 2


@pytest.mark.contract("15.2")
def test_a_name_may_have_80_characters(client):
    assert client.post(URL, {"name": "🙂" * 80}).json()["name"] == "🙂" * 80


@pytest.mark.contract("15.4")
@pytest.mark.parametrize(("others", "status"), [(8, 201), (9, 409), (12, 409)])
def test_an_agent_has_at_most_ten_usable_tokens(client, agent, others, status):
    for _ in range(others):
        AgentToken.objects.issue(agent)
    AgentToken.objects.issue(agent).revoke()
    AgentToken.objects.issue(agent, expires_at=timezone.now())

    response = client.post(URL)

    assert response.status_code == status
    if status == 409:
        assert response.json() == {"error": "Too many tokens"}
    assert agent.tokens.count() == others + 3 + (status == 201)


def test_missing_scopes_come_before_too_many_tokens(client_of, agent):
    for _ in range(10):
        reader = AgentToken.objects.issue(agent, ["read"])

    response = client_of(token=reader.text).post(URL, {"scopes": ["install"]})

    assert response.status_code == 403


@pytest.mark.contract("4.8")
def test_only_a_digest_and_a_hint_are_stored(client, agent):
    text = client.post(URL).json()["token"]

    assert agent.tokens.first().digest == tokens.digest(text)
    assert text not in str(agent.tokens.values())
