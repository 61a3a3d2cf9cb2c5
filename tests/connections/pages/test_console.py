"""The connections of an operator key in the console (contract 35.24, 35.28)"""

import json

import pytest

from agents.models import Agent, AgentToken
from audit.models import AuditEvent
from connections.models import Connection
from tests.connections.pages.consenting import text_of
from tests.factories import AgentFactory, claim

LIST = "/operator/connections"


@pytest.fixture
def connection(connect_as, agent):
    """A connection of `agent` that Claude has."""
    return connect_as(agent)


@pytest.mark.contract("35.28")
def test_the_list_shows_client_host_since_and_last_use(person, connection, connect_as, agent):
    assert "last used" not in text_of(person.get(LIST))
    connect_as(agent, "http://127.0.0.1:4711/callback", scopes=["read"])
    AgentToken.objects.filter(connection=connection).update(last_used_at=connection.created_at)

    page = person.get(LIST)

    assert page.status_code == 200
    date = f"{connection.created_at:%-d %b %Y}"
    end = "End the connection of Claude for caller"
    text = text_of(page)
    assert (
        "An app on your computer calls itself “ Claude ” acts as caller , may read "
        f"since {date}, not used yet {end}"
    ) in text
    assert (
        "claude.example calls itself “ Claude ” acts as caller , may read, install, review "
        f"since {date}, last used in the last 15 minutes {end}"
    ) in text
    assert "enter http://testserver/mcp/oauth in the app" in text


@pytest.mark.contract("35.28")
def test_it_is_linked_from_every_page_of_the_console(person):
    for path in ("/operator", "/operator/agents/caller", LIST):
        assert f'<a href="{LIST}">Connections</a>' in person.get(path).content.decode()


@pytest.mark.contract("35.28")
def test_it_has_the_key_s_own_alone(person, connect_as, agent):
    other = AgentFactory(handle="other")
    claim(other, name="Eve")
    connection = connect_as(other)

    assert "None yet." in text_of(person.get(LIST))
    for path in (f"other/end-connection/{connection.pk}", f"caller/end-connection/{connection.pk}"):
        for method in (person.get, person.post):
            response = method(f"/operator/agents/{path}", headers={"Origin": "http://testserver"})
            assert response.status_code == 404 or method == person.post
    assert connection.token.revoked_at is None


@pytest.mark.contract("35.28")
def test_ending_one_asks_and_is_recorded_once(person, connection, client_of):
    path = f"/operator/agents/caller/end-connection/{connection.pk}"
    assert "End the connection of Claude for caller?" in text_of(person.get(path))
    last = AuditEvent.objects.latest("pk").pk

    response = person.submit(path)

    assert (response.status_code, response["Location"]) == (302, LIST)
    assert "Ended the connection of Claude for caller." in text_of(person.get(LIST))
    assert client_of(token=connection.access_token).get("/api/v1/agents/me").status_code == 401
    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert json.loads(event.line) | {"id": 0, "at": "", "requestId": ""} == {
        "id": 0,
        "at": "",
        "actor": {"kind": "operator", "name": "Ada Lovelace"},
        "action": "end_connection",
        "object": {"kind": "agent", "name": "caller"},
        "address": "127.0.0.1",
        "requestId": "",
        "details": {"message": "Ended the connection of Claude for caller."},
    }
    assert Agent.history.latest().operator == "Ada Lovelace"
    assert person.get(path).status_code == 404
    assert not Connection.objects.live().exists()


@pytest.mark.contract("35.28")
def test_an_agent_whose_client_is_idle_does_not_lack_a_token(person, connection, agent):
    agent.token.revoke()
    AgentToken.objects.filter(connection=connection).update(expires_at=connection.created_at)

    assert "no token" not in text_of(person.get("/operator"))
    connection.end("Ended")
    assert "no token" in text_of(person.get("/operator"))


@pytest.mark.contract("35.28")
def test_an_operator_who_can_only_view_the_agent_may_end_it(person, connection, agent):
    row = agent.claim
    row.scopes = ["read"]
    row.save()

    response = person.submit(f"/operator/agents/caller/end-connection/{connection.pk}")

    assert response.status_code == 302
    assert not Connection.objects.live().exists()


@pytest.mark.contract("35.24")
def test_a_key_has_at_most_ten(person, connect_as, agent, address_of, monkeypatch):
    assert Connection.MAX_OF_KEY == 10
    monkeypatch.setattr(Connection, "MAX_OF_KEY", 1)
    connect_as(agent)

    refused = person.answer(address_of())

    assert refused.status_code == 409
    assert "Your key has 1 connection, which is the most. End one" in text_of(refused)
    Connection.objects.earliest("pk").end("Ended")
    assert person.send(refused).status_code == 302


@pytest.mark.contract("19.21", "35.28")
def test_the_export_has_them(person, connection):
    exported = person.get("/operator/agents/caller/export").json()

    assert exported["connections"] == [
        {
            "client": "Claude",
            "host": "claude.example",
            "scopes": ["read", "install", "review"],
            "createdAt": exported["connections"][0]["createdAt"],
            "lastUsedAt": None,
        }
    ]


def test_the_list_runs_the_same_queries_for_many(
    person, connect_as, agent, django_assert_num_queries
):
    connect_as(agent)
    person.get(LIST)
    with django_assert_num_queries(2):
        person.get(LIST)
    for _ in range(3):
        connect_as(agent)
    with django_assert_num_queries(2):
        person.get(LIST)
