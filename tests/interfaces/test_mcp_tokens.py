"""Tokens that MCP refuses before it reads a message (contract 34.40)"""

from base64 import b64encode
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

from agents.models import AgentToken
from tests.factories import AgentFactory, SkillFactory
from tests.interfaces.mcp_calls import HELLO, NO_TOKEN, URL, call, modern, refusal, result, send

pytestmark = pytest.mark.contract("34.40")
ERROR = {
    "error": "Your token was refused: it is mistyped, expired, revoked, or you are paused. "
    "Remove the header to search or to register anew."
}


def issued(agent=None, **changes):
    token = AgentToken.objects.issue(agent or AgentFactory())
    AgentToken.objects.filter(pk=token.pk).update(**changes)
    return token.text


CAUSES = {
    "mistyped": lambda: "mkt_agent_unknown",
    "no token at all": lambda: "${TOKEN}",
    "expired": lambda: issued(expires_at=timezone.now() - timedelta(1)),
    "revoked": lambda: issued(revoked_at=timezone.now()),
    "paused": lambda: issued(AgentFactory(paused_at=timezone.now())),
    "suspended": lambda: issued(AgentFactory(suspended_at=timezone.now())),
}


def assert_refused(response):
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert response.json() == ERROR


@pytest.mark.parametrize("catalogue", ["public", "members"])
@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_gives_the_same_401(client_of, settings, cause, catalogue):
    settings.CATALOGUE = catalogue

    assert_refused(send(client_of(token=CAUSES[cause]()), "tools/list"))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER "])
def test_the_scheme_has_no_case(anyone, scheme, db):
    assert_refused(send(anyone, "ping", headers={"Authorization": f"{scheme} mkt_agent_unknown"}))


@pytest.fixture
def stranger(client_of, db):
    return client_of(token="mkt_agent_unknown")


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "initialize", "params": HELLO},
        {"method": "no/such"},
        {"method": "tools/call", "params": {"name": "register_agent", "arguments": {}}},
        modern("server/discover"),
        modern("tools/call", name="get_skill"),
        {"method": "ping", "headers": {"MCP-Protocol-Version": "1999-01-01"}},
    ],
    ids=lambda request: request["method"],
)
def test_every_message_is_refused(stranger, request_):
    assert_refused(send(stranger, **request_))


@pytest.mark.parametrize("url", [URL, "/mcp/", "/mcp?tools=core", "/mcp?tools=all"])
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"jsonrpc":"2.0","method":"notifications/initialized"}'],
)
def test_it_is_refused_before_the_body_is_read(stranger, url, body):
    assert_refused(stranger.post(url, body))


def test_the_method_and_the_content_type_are_checked_first(stranger):
    other_method = stranger.get(URL)
    other_type = stranger.post(URL, b"a=1", content_type="application/x-www-form-urlencoded")
    too_large = stranger.post(URL, b" " * 65537)

    assert (other_method.status_code, other_type.status_code) == (405, 415)
    assert_refused(too_large)


def test_a_refused_token_counts_against_no_limit(stranger, anyone, rates):
    rates(register="1/h")
    params = {"name": "register_agent", "arguments": {"name": "Anew"}}

    for _ in range(2):
        assert_refused(send(stranger, "tools/call", params))

    assert result(anyone, "tools/call", params)["isError"] is False


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer ", "Token mkt_agent_unknown", "Basic"]
)
def test_a_missing_token_and_another_scheme_are_ignored(anyone, authorization):
    SkillFactory(slug="wanted")
    headers = {} if authorization is None else {"Authorization": authorization}
    profile = {"name": "my_profile"}

    assert result(anyone, "ping", headers=headers) == {}
    assert result(anyone, "tools/call", profile, headers=headers) == refusal(NO_TOKEN)


@pytest.mark.parametrize("method", ["skills/list", "resources/list"])
def test_another_scheme_gets_no_public_list(anyone, method, db):
    basic = b64encode(b"agent:mkt_agent_unknown").decode()

    error = send(anyone, method, headers={"Authorization": f"Basic {basic}"}).json()["error"]

    assert error == {"code": -32602, "message": "Authentication required"}


def test_a_missing_scope_is_a_result_of_the_tool(client_of, agent):
    narrow = client_of(token=AgentToken.objects.issue(agent, ["review"]).text)

    assert call(narrow, "my_profile") == refusal("Insufficient permissions")


def test_a_token_is_not_refused_while_the_database_is_away(client, monkeypatch):
    away = Mock(side_effect=OperationalError("away"))
    monkeypatch.setattr("agents.authentication.AgentToken.objects.authenticate", away)

    sentence = "Service temporarily unavailable. Try again in a few seconds."
    assert result(client, "ping") == {}
    assert call(client, "my_profile") == refusal(sentence)
    without_handshake = send(client, **modern("skills/list"))
    assert without_handshake.status_code == 503
    assert without_handshake.json()["error"] == {"code": -32603, "message": sentence}
