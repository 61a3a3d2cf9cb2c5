"""Ending a connection by one of its tokens (contract 35.6, 35.18, 35.19)"""

from io import StringIO

import pytest
from django.core.management import call_command

from audit.models import AuditEvent
from marketplace.secrets import mask
from tests.connections.conftest import Connector
from tests.connections.test_tokens import REFUSED, works
from tests.factories import OAuthClientFactory

LEAKED = "/api/v1/tokens/revoke"
DONE = {"message": "If the token existed, it is revoked"}


def assert_ended(connector, connection, client_of):
    assert not works(client_of, connection.access_token)
    sent = connector.refresh(connection.refresh_token)
    assert (sent.status_code, sent.json()) == (400, REFUSED)


@pytest.mark.contract("35.18")
def test_a_client_revokes_either_token(connector, connection, client_of, alone):
    for name in ("access_token", "refresh_token"):
        with alone(name):
            for hint in (None, "refresh_token", "anything"):
                sent = connector.revoke(getattr(connection, name), token_type_hint=hint)
                assert (sent.status_code, sent.json()) == (200, {})
                assert sent["Cache-Control"] == "no-store"

            assert_ended(connector, connection, client_of)
            [event] = AuditEvent.objects.filter(action="end_connection")
            assert (event.actor_kind, event.actor_name) == ("agent", "paper-mill")
            assert event.details == {"message": "Its client revoked it."}


@pytest.mark.contract("35.18")
def test_what_a_client_cannot_revoke(connected, connector, connection, client_of):
    for text in ("mkt_refresh_unknown", "", connected.token.text, connected.handle):
        sent = connector.revoke(text)
        expected = (200, {}) if text else (400, sent.json())
        assert (sent.status_code, sent.json()) == expected
    other = Connector(OAuthClientFactory())
    error = {
        "error": "invalid_grant",
        "error_description": "The token is that of another client",
    }
    for text in (connection.access_token, connection.refresh_token):
        sent = other.revoke(text)
        assert (sent.status_code, sent.json()) == (400, error)
    unknown = {"error": "invalid_client", "error_description": "The client is not registered here"}
    sent = connector.revoke(connection.access_token, client_id=None)
    assert (sent.status_code, sent.json()) == (401, unknown)

    assert works(client_of, connected.token.text)
    assert works(client_of, connection.access_token)


@pytest.mark.contract("35.6")
def test_whoever_finds_a_token_or_a_code_ends_its_connection(
    anyone, connector, code_of, client_of, alone
):
    code = code_of()
    first = connector.exchange(code).json()
    second = connector.refresh(first["refresh_token"]).json()

    for text in (code, first["refresh_token"], second["refresh_token"], second["access_token"]):
        with alone(text[:12]):
            sent = anyone.post(LEAKED, {"token": text})
            assert (sent.status_code, sent.json()) == (200, DONE)

            assert not works(client_of, second["access_token"])
            assert connector.refresh(second["refresh_token"]).json() == REFUSED
            [event] = AuditEvent.objects.filter(action="revoke_leaked")
            assert (event.actor_kind, event.object_kind) == ("system", "agenttoken")


@pytest.mark.contract("35.6")
def test_a_code_that_leaked_is_spent(anyone, connector, code_of):
    code = code_of()

    assert anyone.post(LEAKED, {"token": code}).json() == DONE

    assert connector.exchange(code).json() == REFUSED


@pytest.mark.contract("35.6")
def test_logs_mask_all_of_them(connection, code_of):
    code = code_of()
    for text in (connection.access_token, connection.refresh_token, code, code[:20]):
        start = text[: text.index("_", 4) + 1]
        assert mask(f"token={text}&a=b") == f"token={start}[masked]&a=b"


@pytest.mark.contract("35.6")
def test_an_agent_ends_a_connection_by_its_token(connected, connector, connection, client_of):
    own = client_of(connected)
    [listed] = [
        row for row in own.get("/api/v1/agents/me/tokens").json()["results"] if not row["isCurrent"]
    ]
    assert (listed["name"], listed["scopes"]) == ("Claude", ["read", "install", "review"])

    sent = own.delete(f"/api/v1/agents/me/tokens/{listed['tokenId']}")

    assert sent.status_code == 200
    assert_ended(connector, connection, client_of)


@pytest.mark.contract("35.19")
def test_a_command_ends_all_of_them(connected, connector, connection, code_of, client_of):
    code, printed = code_of(), StringIO()

    call_command("end_connections", stdout=printed)

    assert printed.getvalue() == "Ended 1 connections. Their clients have to sign in again.\n"
    assert_ended(connector, connection, client_of)
    assert connector.exchange(code).json() == REFUSED
    assert works(client_of, connected.token.text)
