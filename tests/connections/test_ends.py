"""A connection ends in the transaction that ends what it rests on"""

import pytest
from django.db import transaction

from agents.tokens import mint_key
from audit.models import AuditEvent
from connections.models import Connection
from operators.deleting import delete
from tests.factories import AgentFactory, OAuthClientFactory, ask_for_code, claim, connect

pytestmark = pytest.mark.django_db


@pytest.fixture
def connected():
    """An agent with a connection."""
    agent = AgentFactory(handle="paper-mill")
    claim(agent)
    return agent


def release(connection, _client_of):
    connection.claim.release()


def take_over(connection, client_of):
    agent = connection.claim.agent
    code = ask_for_code(agent, key=mint_key())
    token = agent.tokens.issue(agent).text
    sent = client_of(token=token).post("/api/v1/agents/me/confirm-claim", {"code": code})
    assert sent.status_code == 200


def end_key(connection, _client_of):
    connection.key.revoke("Lost")


def leak_key(connection, client_of):
    client = client_of(token=connection.access_token)
    sent = client.post("/api/v1/tokens/revoke", {"token": connection.key_text})
    assert sent.status_code == 200


def delete_agent(connection, _client_of):
    delete(connection.claim.agent)


def block(connection, _client_of):
    connection.client.block()


ENDS = {
    release: "Its claim was released or taken over",
    take_over: "Its claim was released or taken over",
    end_key: "Its operator key has ended",
    leak_key: "Its operator key has ended",
    delete_agent: "Its claim was released or taken over",
    block: "Staff blocked its client",
}


def test_ends_with_its_claim_its_key_its_agent_and_its_client(alone, client_of):
    for end, reason in ENDS.items():
        with alone(end.__name__):
            agent = AgentFactory(handle="paper-mill")
            key = claim(agent)
            connection = connect(agent)
            connection.key_text = key
            other = AgentFactory(handle="other")
            claim(other)
            stays = connect(other)
            sent = client_of(token=connection.access_token).get("/api/v1/agents/me")
            assert sent.status_code == 200

            end(connection, client_of)

            sent = client_of(token=connection.access_token).get("/api/v1/agents/me")
            assert (sent.status_code, sent.json()) == (401, {"error": "Authentication required"})
            assert connection.token.revocation_reason == reason
            assert list(Connection.objects.live()) == [stays]


def test_stays_if_the_transaction_is_rolled_back(connected, client_of):
    connection = connect(connected)

    with transaction.atomic():
        connection.claim.release()
        transaction.set_rollback(True)

    assert list(Connection.objects.usable()) == [connection]


def test_pause_and_new_claim_url_do_not_end_it(connected):
    connection = connect(connected)

    connected.claim.renew_url()
    connected.pause()
    connected.suspend()

    assert list(Connection.objects.usable()) == [connection]


def test_its_token_is_outside_of_the_ten(connected, client_of):
    for _ in range(2):
        connect(connected, client=OAuthClientFactory())
    client = client_of(connected)

    statuses = [client.post("/api/v1/agents/me/tokens", {}).status_code for _ in range(10)]

    assert statuses == [201] * 9 + [409]


def test_ending_it_twice_is_one_event(connected):
    connection = connect(connected)

    assert [connection.end("Lost"), connection.end("Lost")] == [True, False]

    assert AuditEvent.objects.filter(action="end_connection").count() == 1
