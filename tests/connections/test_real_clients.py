"""Clients of others sign in, with a real browser on the consent page (contract 35)"""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import AgentToken
from connections.models import Connection, OAuthClient
from tests.chromium import Visitor, needs_chromium, visit
from tests.connections.real_clients import client_of, consent
from tests.factories import AgentFactory, claim

pytestmark = [pytest.mark.external, needs_chromium]
PUBLIC = {"OAUTH": "true"}
MEMBERS = {**PUBLIC, "CATALOGUE": "members", "REGISTRATION": "invitation"}


@pytest.fixture
def key(transactional_db):
    """The key of an operator who runs an agent."""
    return claim(AgentFactory(handle="caller", name="The Caller"))


@pytest.fixture
def client(request, key, live_server_of, tmp_path):
    """A client that has not started, and a browser at the same server."""
    name, variables, path = request.param
    server = live_server_of(**variables)
    url = f"http://127.0.0.1:{server.port}{path}"
    with (
        visit(Visitor, server, "desktop") as visitor,
        client_of(name, request.config, tmp_path, url) as client,
    ):
        client.visitor = visitor
        yield client


def expire(token):
    AgentToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


CLIENTS = [
    *((name, PUBLIC, "/mcp/oauth") for name in ("python", "sdk", "client")),
    *((name, PUBLIC, "/mcp/oauth") for name in ("inspector", "mcp-remote")),
    ("python", MEMBERS, "/mcp"),
]


@pytest.mark.contract("35.3", "35.8", "35.9", "35.11")
@pytest.mark.parametrize("client", CLIENTS, ids=lambda row: f"{row[0]}{row[2]}", indirect=True)
def test_a_client_signs_in_refreshes_and_is_refused(client, key):
    visitor, page = client.visitor, client.visitor.page

    wanted, address = client.start()
    assert wanted == "authorize"
    consent(visitor, address, key)
    assert page.url.startswith(f"http://127.0.0.1:{client.port}/")
    assert handle_in(client.call("my_profile")) == "caller"

    connection = Connection.objects.get()
    first = connection.token
    expire(first)
    assert handle_in(client.call("my_profile")) == "caller"
    assert connection.token.pk == first.pk
    assert connection.token.digest != first.digest

    visitor.open("/operator/connections")
    visitor.press("End")
    visitor.press("End")
    wanted, _ = client.call("my_profile")
    assert wanted == "authorize"
    assert not Connection.objects.live().exists()
    assert OAuthClient.objects.count() == 1
    assert [error for error in visitor.errors if error[0].startswith(visitor.url)] == []


def handle_in(event):
    name, text = event
    assert name == "result", event
    return json.loads(text)["handle"]


@pytest.mark.contract("35.17")
@pytest.mark.parametrize(
    "client", [("client", PUBLIC, "/mcp/oauth")], ids=["client"], indirect=True
)
def test_a_blocked_client_does_not_register_again(client, key):
    visitor = client.visitor
    consent(visitor, client.start()[1], key)
    assert handle_in(client.call("my_profile")) == "caller"

    OAuthClient.objects.get().block()
    wanted, address = client.call("my_profile")
    visitor.page.goto(address)

    assert wanted == "authorize"
    assert OAuthClient.objects.count() == 1
    assert "staff have blocked it" in visitor.text()


@pytest.mark.parametrize("client", [("codex", PUBLIC, "/mcp/oauth")], ids=["codex"], indirect=True)
def test_codex_signs_in(client, key):
    wanted, address = client.start()
    assert wanted == "authorize"
    consent(client.visitor, address, key)

    assert client.event() == ("result", "Successfully logged in.")
    assert str(Connection.objects.get()) == "Codex for caller"
