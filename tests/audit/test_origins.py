"""The actor, the address and the request of an event (contract 33.2)"""

import json
import logging
from io import BytesIO, StringIO

import pytest
from django.core.management import call_command
from django.core.signals import request_started
from django.db import close_old_connections
from django.test import RequestFactory

from agents.models import AgentToken, Invitation, OperatorKey
from audit.models import AuditEvent
from infrastructure.server.request_ids import end_request
from marketplace.acting import acting
from marketplace.application import Application
from marketplace.logging import JsonFormatter
from tests.factories import AgentFactory, claim_by_code

pytestmark = pytest.mark.django_db

REVOKE = "/api/v1/tokens/revoke"
ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def post():
    """Send a body through the whole application, with the ID of the request."""
    application = Application()

    def post(path, body, **headers):
        headers |= {"X-Request-ID": ID, "X-Forwarded-For": "192.0.2.7"}
        data, kind = json.dumps(body), "application/json"
        request = RequestFactory().post(path, data, content_type=kind, headers=headers)
        environ = request.environ | {"wsgi.input": BytesIO(data.encode())}
        statuses = []
        response = application(environ, lambda status, *_: statuses.append(status))
        return statuses, json.loads(b"".join(response))

    # As Django's own client does: the connection is that of the test.
    request_started.disconnect(close_old_connections)
    yield post
    request_started.connect(close_old_connections)
    end_request()


@pytest.mark.contract("33.1", "33.2")
def test_an_event_has_the_address_and_the_id_of_the_logs(post, agent, settings):
    settings.TRUSTED_PROXY_COUNT = 1

    statuses, body = post(
        "/api/v1/agents/me/tokens", {"name": "x"}, Authorization=f"Bearer {agent.token.text}"
    )

    event = AuditEvent.objects.get()
    record = logging.LogRecord("x", logging.INFO, "", 0, "told", (), None)
    assert statuses == ["201 Created"]
    assert json.loads(JsonFormatter().format(record))["request_id"] == ID
    assert json.loads(event.line) == {
        "id": event.pk,
        "at": f"{event.at:%FT%T}.{event.at.microsecond // 1000:03}Z",
        "actor": {"kind": "agent", "name": "caller"},
        "action": "create_token",
        "object": {"kind": "agenttoken", "name": event.object_name},
        "address": "192.0.2.7",
        "requestId": ID,
        "details": {"scopes": ["read", "install", "review"]},
    }
    assert body["token"] not in event.line


@pytest.mark.contract("33.2", "33.9")
def test_nobody_hides_behind_a_name_as_long_as_a_secret(client_of):
    handles = "a" * 39, "ant"
    for handle in handles:
        client_of(AgentFactory(handle=handle)).post("/api/v1/agents/me/tokens", {"name": "x"})
    AuditEvent.objects.record("suspend", kind="agent", names=handles)

    [bulk, *own] = [json.loads(event.line) for event in AuditEvent.objects.all()]
    assert [event["actor"]["name"] for event in reversed(own)] == list(handles)
    assert bulk["details"] == {"count": 2, "names": list(handles)}


@pytest.mark.contract("15.10", "33.10")
def test_a_leaked_secret_is_recorded_by_the_statement_that_revokes_it(post, settings):
    settings.TRUSTED_PROXY_COUNT = 1
    agent = AgentFactory()
    key, invitation = claim_by_code(agent), Invitation.objects.issue()
    secrets = {
        agent.token.text: AgentToken.objects.get(),
        key: OperatorKey.objects.get(),
        invitation.text: invitation,
    }
    last = AuditEvent.objects.latest("pk").pk

    for text in [*secrets, *secrets, "mkt_agent_unknown"]:
        assert post(REVOKE, {"token": text})[0] == ["200 OK"]

    events = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
    assert [
        (event.actor_kind, event.action, event.object_kind, event.object_name, event.address)
        for event in events
    ] == [
        ("system", "revoke_leaked", row._meta.model_name, row.hint, "192.0.2.7")
        for row in secrets.values()
    ]
    assert {event.request_id for event in events} == {ID}


@pytest.mark.contract("33.2")
def test_a_user_that_a_command_makes_is_recorded():
    with acting("command", "createsuperuser"):
        call_command(
            "createsuperuser", interactive=False, username="ada", email="", stdout=StringIO()
        )

    event = AuditEvent.objects.get()
    assert (event.actor_kind, event.actor_name) == ("command", "createsuperuser")
    assert (event.action, event.object_name) == ("createsuperuser", "ada")
