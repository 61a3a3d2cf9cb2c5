"""The token endpoint: a code becomes tokens, which refresh themselves (contract 35)"""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from agents.models import AgentToken
from audit.models import AuditEvent
from connections.models import AuthorizationCode, Connection
from tests.connections.conftest import Connector
from tests.factories import OAuthClientFactory

PROFILE = "/api/v1/agents/me"
REFUSED = {
    "error": "invalid_grant",
    "error_description": "Sign in again, or ask your operator",
}
NO_CODE = {"error": "invalid_grant", "error_description": "Invalid 'code' in request."}
WRONG = {"error": "invalid_grant", "error_description": "code_verifier is another one"}


def works(client_of, text):
    return client_of(token=text).get(PROFILE).status_code == 200


def assert_sent(response, status, body):
    assert (response.status_code, response.json()) == (status, body)
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"


def age_predecessors(seconds):
    for connection in Connection.objects.all():
        rows = [[digest, until - seconds] for digest, until in connection.predecessors]
        Connection.objects.filter(pk=connection.pk).update(predecessors=rows)


@pytest.mark.contract("35.9", "35.15")
def test_a_code_becomes_an_access_token_and_a_refresh_token(connector, code_of, client_of):
    response = connector.exchange(code_of())

    sent = response.json()
    texts = {name: sent[name] for name in ("access_token", "refresh_token")}
    others = {"token_type": "Bearer", "expires_in": 3600, "scope": "read install review"}
    assert_sent(response, 200, texts | others)
    assert response["Pragma"] == "no-cache"
    assert response["RateLimit-Policy"] == '"oauth-token";q=600;w=3600'
    assert sent["access_token"].startswith("mkt_agent_")
    assert sent["refresh_token"].startswith("mkt_refresh_")
    assert works(client_of, sent["access_token"])
    [opened] = AuditEvent.objects.filter(action="open_connection")
    assert (opened.actor_kind, opened.actor_name) == ("operator", "Ada Lovelace")
    assert opened.details == {
        "message": "Its codes go to claude.ai. Scopes: read, install, review."
    }


@pytest.mark.contract("35.9")
def test_it_has_the_scopes_that_the_person_consented_to(connector, code_of, client_of):
    sent = connector.exchange(code_of(scopes=["read"])).json()

    assert sent["scope"] == "read"
    install = "/api/v1/agents/me/skills/install"
    response = client_of(token=sent["access_token"]).post(install, {"slug": "pdf-tables"})
    assert (response.status_code, response.json()) == (403, {"error": "Insufficient permissions"})
    again = connector.refresh(sent["refresh_token"], scope="install everything")
    assert again.json()["scope"] == "read"


@pytest.mark.contract("35.8", "35.9")
def test_a_refresh_replaces_both_tokens_in_place(connector, code_of, client_of):
    first = connector.exchange(code_of()).json()

    response = connector.refresh(first["refresh_token"])

    second = response.json()
    texts = {name: second[name] for name in ("access_token", "refresh_token")}
    assert_sent(response, 200, first | texts)
    assert not {*texts.values()} & {*first.values()}
    assert not works(client_of, first["access_token"])
    assert works(client_of, second["access_token"])
    assert AgentToken.objects.filter(connection__isnull=False).count() == 1
    assert connector.refresh(second["refresh_token"]).status_code == 200


@pytest.mark.contract("35.8")
def test_a_narrower_refresh_is_not_for_ever(connector, connection):
    narrow = connector.refresh(connection.refresh_token, scope="read").json()
    assert narrow["scope"] == "read"

    assert connector.refresh(narrow["refresh_token"]).json()["scope"] == "read install review"


@pytest.mark.contract("35.8")
def test_a_predecessor_gets_the_same_successor_for_30_seconds(connector, connection, client_of):
    first = connection.refresh_token
    second = connector.refresh(first).json()
    third = connector.refresh(second["refresh_token"]).json()

    for text in (first, second["refresh_token"]):
        again = connector.refresh(text)
        body = again.json()
        assert 3590 <= body["expires_in"] <= 3600
        assert_sent(again, 200, third | {"expires_in": body["expires_in"]})
    assert works(client_of, third["access_token"])


@pytest.mark.contract("35.8")
def test_the_use_of_an_old_one_after_that_ends_the_connection(
    connector, connection, client_of, alone
):
    second = connector.refresh(connection.refresh_token).json()
    third = connector.refresh(second["refresh_token"]).json()
    age_predecessors(31)

    for text in (connection.refresh_token, second["refresh_token"]):
        with alone(text[-4:]):
            assert_sent(connector.refresh(text), 400, REFUSED)

            assert not works(client_of, third["access_token"])
            assert_sent(connector.refresh(third["refresh_token"]), 400, REFUSED)
            [event] = AuditEvent.objects.filter(action="end_connection")
            assert (event.actor_kind, event.address) == ("system", "127.0.0.1")
            assert event.details == {"message": "An old refresh token was used again."}


@pytest.mark.contract("35.8")
def test_a_refresh_token_lasts_for_30_days_from_its_last_use(connector, connection, alone):
    for passed, status in ((timedelta(days=29), 200), (timedelta(days=30), 400)):
        with alone(status):
            Connection.objects.update(expires_at=F("expires_at") - passed)

            assert connector.refresh(connection.refresh_token).status_code == status

            left = Connection.objects.get().expires_at - timezone.now()
            assert (left > timedelta(days=29, hours=23)) == (status == 200)


@pytest.mark.contract("35.8")
def test_a_refresh_token_is_its_clients_alone(connector, connection):
    other = Connector(OAuthClientFactory())

    for text in (connection.refresh_token, "mkt_refresh_unknown", connection.access_token):
        assert_sent(other.refresh(text), 400, REFUSED)

    assert connector.refresh(connection.refresh_token).status_code == 200


@pytest.mark.contract("35.16")
def test_while_the_agent_is_paused_nothing_is_consumed(connected, connector, connection, code_of):
    code = code_of()
    for stop, go_on in (
        (connected.pause, connected.resume),
        (connected.suspend, connected.restore),
    ):
        stop()
        for response in (connector.refresh(connection.refresh_token), connector.exchange(code)):
            assert_sent(response, 400, REFUSED)
        go_on()

    assert connector.refresh(connection.refresh_token).status_code == 200
    assert connector.exchange(code).status_code == 200


@pytest.mark.contract("35.15")
def test_the_second_use_of_a_code_ends_the_connection(connector, code_of, client_of, alone):
    code = code_of()
    sent = connector.exchange(code).json()

    missing = {
        "error": "invalid_request",
        "error_description": "Missing 'code_verifier' in request.",
    }
    for fields, body in (
        ({}, REFUSED),
        ({"code_verifier": "a" * 43}, WRONG),
        ({"code_verifier": None}, missing),
        ({"client_id": OAuthClientFactory().public_id}, NO_CODE),
    ):
        with alone(body["error_description"]):
            assert_sent(connector.exchange(code, **fields), 400, body)

            assert not works(client_of, sent["access_token"])
            assert_sent(connector.refresh(sent["refresh_token"]), 400, REFUSED)
            [event] = AuditEvent.objects.filter(action="end_connection")
            assert event.details == {"message": "Its code was used twice."}


@pytest.mark.contract("35.15")
def test_a_wrong_verifier_or_address_spends_the_code(connector, code_of, alone):
    address = {"error": "invalid_grant", "error_description": "Invalid 'redirect_uri' in request."}
    for fields, body in (
        ({"code_verifier": "a" * 43}, WRONG),
        ({"code_verifier": "short"}, WRONG),
        ({"code_verifier": "é" * 43}, WRONG),
        ({"redirect_uri": "https://claude.ai/other"}, address),
        ({"redirect_uri": None}, address),
    ):
        with alone(str(fields)):
            code = code_of()
            assert_sent(connector.exchange(code, **fields), 400, body)
            assert_sent(connector.exchange(code), 400, REFUSED)


@pytest.mark.contract("35.15")
def test_a_code_lives_for_60_seconds(connector, code_of):
    code = code_of()
    AuthorizationCode.objects.update(expires_at=F("expires_at") - timedelta(seconds=61))

    assert_sent(connector.exchange(code), 400, REFUSED)


@pytest.mark.contract("35.15")
def test_a_code_is_its_clients_alone(connector, code_of):
    code = code_of()

    assert_sent(Connector(OAuthClientFactory()).exchange(code), 400, NO_CODE)
    assert_sent(connector.exchange("mkt_code_unknown"), 400, NO_CODE)
    assert connector.exchange(code).status_code == 200


@pytest.mark.contract("35.7", "35.15")
def test_a_code_of_a_claim_that_has_ended_is_refused(connected, connector, code_of, alone):
    def narrow():
        type(connected.claim).objects.update(scopes=["read"])

    key = connected.claim.key
    ends = {"release": connected.claim.release, "narrow": narrow, "key": lambda: key.revoke("Lost")}
    for name, end in ends.items():
        with alone(name):
            code = code_of()
            end()
            assert_sent(connector.exchange(code), 400, REFUSED)


@pytest.mark.contract("35.7")
def test_every_refresh_looks_at_the_claim_again(connected, connector, connection):
    type(connected.claim).objects.update(scopes=["read"])

    assert_sent(connector.refresh(connection.refresh_token), 400, REFUSED)
