"""POST /api/v1/tokens/revoke (contract 15.9)"""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents import tokens
from agents.models import AgentToken
from tests.api.hostile_bodies import WITHOUT_TOKEN

URL = "/api/v1/tokens/revoke"
ME = "/api/v1/agents/me"
DONE = {"message": "If the token existed, it is revoked"}


@pytest.mark.contract("15.9")
def test_anyone_can_revoke_a_token_that_leaked(anyone, client, client_of, agent):
    other = AgentToken.objects.issue(agent)

    response = anyone.post(URL, {"token": agent.token.text})

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json() == DONE
    assert client.get(ME).status_code == 401
    assert client_of(token=other.text).get(ME).status_code == 200
    agent.token.refresh_from_db()
    assert agent.token.revocation_reason == "Reported as leaked"
    assert agent.token.revoked_at <= timezone.now()


@pytest.mark.contract("15.9")
def test_an_expired_token_is_revoked_too(anyone, agent):
    AgentToken.objects.update(expires_at=timezone.now())

    assert anyone.post(URL, {"token": agent.token.text}).json() == DONE

    agent.token.refresh_from_db()
    assert agent.token.revocation_reason == "Reported as leaked"


def test_a_revoked_token_keeps_its_time_and_reason(anyone, agent):
    agent.token.revoke("Revoked by staff")
    AgentToken.objects.update(revoked_at=timezone.now() - timedelta(days=1))
    before = list(AgentToken.objects.values())

    response = anyone.post(URL, {"token": agent.token.text})

    assert (response.status_code, response.json()) == (200, DONE)
    assert list(AgentToken.objects.values()) == before


def hit(agent):
    return agent.token.text


def unknown(_agent):
    return tokens.mint()


def revoked(agent):
    agent.token.revoke()
    return agent.token.text


def nonsense(_agent):
    return "é' OR 1=1 --"


def empty(_agent):
    return ""


def with_a_space(agent):
    return agent.token.text + " "


@pytest.mark.contract("15.10")
@pytest.mark.parametrize("text", [hit, unknown, revoked, nonsense, empty, with_a_space])
def test_every_text_gets_the_same_response_by_the_same_statement(anyone, agent, text):
    text = text(agent)
    with CaptureQueriesContext(connection) as captured:
        response = anyone.post(URL, {"token": text})

    assert (response.status_code, response.json()) == (200, DONE)
    _, statement = captured.captured_queries  # The other one counts against the limit.
    assert statement["sql"].lstrip().startswith("WITH revoked AS (")


@pytest.mark.contract("15.10")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("text", ["nonsense", pytest.param(tokens.mint(), id="unknown")])
def test_an_unknown_token_waits_for_a_commit_as_well(text):
    with transaction.atomic(), connection.cursor() as cursor:
        AgentToken.objects.revoke_leaked(text)
        cursor.execute("SELECT pg_current_xact_id_if_assigned()")
        assert cursor.fetchone() != (None,)


@pytest.mark.contract("15.10")
@pytest.mark.parametrize(("body", "error"), WITHOUT_TOKEN, ids=str)
def test_a_body_without_a_text_is_refused(anyone, body, error):
    response = anyone.post(URL, body)

    assert response.status_code == 400
    assert response.json() == {"error": error}


@pytest.mark.contract("15.9")
def test_it_is_counted_by_address(anyone, agent, rates):
    rates(revoke="1/h")

    def revoke(address, text):
        return anyone.post(URL, {"token": text}, REMOTE_ADDR=address)

    assert revoke("192.0.2.1", "x").headers["RateLimit-Policy"] == '"revoke";q=1;w=3600'
    assert revoke("192.0.2.1", agent.token.text).status_code == 429
    assert not AgentToken.objects.exclude(revoked_at=None).exists()
    assert revoke("192.0.2.2", agent.token.text).status_code == 200
