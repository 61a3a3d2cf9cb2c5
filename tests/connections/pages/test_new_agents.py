""" "A new agent for this client" on the consent page (contract 35.26)"""

import pytest

from agents.models import Agent, AgentToken
from audit.models import AuditEvent
from connections.models import AuthorizationCode, Connection, OAuthClient
from tests.connections.pages.consenting import CALLBACK, ConnectBrowser, parameters_of, text_of
from tests.factories import AgentFactory, claim

pytestmark = pytest.mark.contract("35.26")


def choices_of(page):
    return page.context["form"].fields["agent"].choices


def test_it_is_registered_with_a_full_claim_of_the_same_operator(person, address_of, agent):
    own = agent.claim
    tokens, last = AgentToken.objects.count(), AuditEvent.objects.last_id()

    response = person.answer(address_of(scope="read"), agent="new caller")

    assert parameters_of(response)[0] == CALLBACK
    new = Agent.objects.get(name="Claude")
    assert (new.handle, new.description, new.tier, new.state) == ("claude", "", "free", "active")
    row = new.claim
    assert (row.operator_name, row.operator_email) == ("Ada Lovelace", "ada@example.com")
    assert (row.key, row.is_full, row.status) == (own.key, True, "claimed")
    assert row.secret != own.secret
    code = AuthorizationCode.objects.get()
    assert (code.claim, code.scopes) == (row, ["read"])
    assert AgentToken.objects.count() == tokens
    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert (event.action, event.object_name) == ("allow_connection", "claude")
    assert person.get("/operator/agents/claude").status_code == 200


@pytest.mark.contract("35.22")
def test_a_double_click_registers_one(person, address_of, claude):
    OAuthClient.objects.update(name="Abacus")  # before "caller" in the alphabet
    page = person.open(address_of())

    first, second = (person.send(page, agent="new caller") for _ in range(2))

    assert (second.status_code, second["Location"]) == (302, first["Location"])
    assert Agent.objects.filter(name="Abacus").count() == 1


def test_its_handle_is_a_free_one(person, address_of, agent):
    AgentFactory(handle="claude")

    person.answer(address_of(), agent="new caller")

    assert Agent.objects.get(name="Claude").handle.startswith("claude-")


def test_a_client_without_a_name_gets_one_too(person, address_of):
    OAuthClient.objects.update(name="")

    person.answer(address_of(), agent="new caller")

    assert Agent.objects.latest("pk").name == ""


def test_name_and_address_are_those_of_the_chosen_claim(claude, address_of, agent):
    key = claim(agent)
    claim(AgentFactory(handle="second"), key=key)
    claim(AgentFactory(handle="third"), key=key, name="Analytical Engines", email="a@b.example")
    person = ConnectBrowser(key)

    page = person.open(address_of())

    assert choices_of(page) == [
        ("caller", "caller (The Caller)"),
        ("second", "second (Some Agent)"),
        ("third", "third (Some Agent)"),
        ("new caller", "A new agent for this client, of Ada Lovelace as for caller"),
        ("new third", "A new agent for this client, of Analytical Engines as for third"),
    ]
    person.send(page, agent="new third")
    row = Agent.objects.get(name="Claude").claim
    assert (row.operator_name, row.operator_email) == ("Analytical Engines", "a@b.example")


def test_it_counts_as_a_registration(person, address_of, rates, anyone):
    rates(register="1/h")
    page = person.open(address_of())
    assert person.send(page, agent="new caller").status_code == 302

    refused = person.answer(address_of(), agent="new caller")

    assert refused.status_code == 429
    assert refused["RateLimit-Policy"] == '"register";q=1;w=3600'
    assert "You can register 1 agent from one IP address in 60 minutes." in text_of(refused)
    assert Agent.objects.filter(name="Claude").count() == 1
    assert anyone.post("/api/v1/agents/register", {}).status_code == 429
    assert person.answer(address_of(), agent="caller").status_code == 302


@pytest.mark.parametrize("registration", ["closed", "invitation"])
def test_where_registration_is_not_open_it_needs_a_full_claim(
    person, address_of, agent, settings, registration
):
    settings.REGISTRATION = registration
    assert [value for value, _ in choices_of(person.open(address_of()))] == ["caller", "new caller"]
    assert person.answer(address_of(), agent="new caller").status_code == 302
    Agent.objects.get(name="Claude").claim.release()
    page = person.open(address_of())

    row = agent.claim
    row.scopes = ["read"]
    row.save()

    assert choices_of(person.open(address_of())) == []
    refused = person.send(page, agent="new caller")
    assert refused.status_code == 400
    assert "None of your agents can be connected" in text_of(refused)
    assert not Agent.objects.exclude(pk=agent.pk).filter(claim__key=row.key).exists()


def test_an_agent_that_staff_have_suspended_does_not_open_registration(
    person, address_of, agent, settings
):
    settings.REGISTRATION = "invitation"
    agent.suspend("Spam.")

    assert choices_of(person.open(address_of())) == []


def test_a_second_click_registers_no_second_one(person, address_of):
    page = person.open(address_of())

    locations = {person.send(page, agent="new caller")["Location"] for _ in range(2)}

    assert len(locations) == 1
    assert Agent.objects.filter(name="Claude").count() == 1


@pytest.mark.contract("35.24")
def test_at_the_limit_of_connections_none_is_registered(person, address_of, agent, monkeypatch):
    monkeypatch.setattr(Connection, "MAX_OF_KEY", 0)

    refused = person.answer(address_of(), agent="new caller")

    assert refused.status_code == 409
    assert "Your key has 0 connections, which is the most." in text_of(refused)
    assert '<a href="/operator/connections">End one</a>' in refused.content.decode()
    assert not Agent.objects.filter(name="Claude").exists()
    assert not AuthorizationCode.objects.exists()
