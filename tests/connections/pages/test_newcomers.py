"""A person who has no agent yet gets one while signing in (contract 35.30)"""

import pytest

from agents.models import Agent, OperatorClaim, OperatorKey
from audit.models import AuditEvent
from connections.models import AuthorizationCode
from tests.connections.pages.consenting import CALLBACK, ConnectBrowser, parameters_of, text_of
from tests.factories import AgentFactory
from tests.factories import claim as make_claim

pytestmark = pytest.mark.contract("35.30")
ADA = {"name": "Ada Lovelace", "email": "ada@example.com"}


def key_on(page):
    return page.content.decode().partition('<pre id="key" tabindex="0"><code>')[2].partition("<")[0]


def test_one_click_is_an_agent_and_a_key(visitor, address_of, claude):
    page, last = visitor.open(address_of()), AuditEvent.objects.last_id()

    response = visitor.send(page, **ADA)

    assert (response.status_code, response["Location"]) == (
        302,
        page.wsgi_request.get_full_path(),
    )
    assert response["RateLimit-Policy"] == '"register";q=100;w=3600'
    claim = OperatorClaim.objects.select_related("agent", "key").get()
    assert (claim.operator_name, claim.operator_email) == tuple(ADA.values())
    assert (claim.status, claim.is_full, claim.key.state) == ("claimed", True, "usable")
    agent = claim.agent
    assert (agent.name, agent.handle, agent.tokens.count()) == ("Claude", "claude", 0)
    events = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
    assert [(event.action, event.actor_name) for event in events] == [
        ("register_agent", "Ada Lovelace"),
        ("log_in", claim.key.hint),
    ]
    assert agent.history.latest().history_change_reason == (
        f"Registered the agent for Claude, with the key {claim.key}."
    )

    asked = visitor.get(response["Location"])
    assert "Connect claude.example ?" in text_of(asked)
    text = key_on(asked)
    assert OperatorKey.objects.of_text(text) == claim.key
    callback, _ = parameters_of(visitor.send(asked))
    assert (callback, AuthorizationCode.objects.get().claim) == (CALLBACK, claim)
    # The key opens the console of another browser, which does not show it.
    other = ConnectBrowser(text)
    assert "claude" in text_of(other.get("/operator"))
    assert key_on(other.open(address_of())) == ""
    visitor.cookies["operator"] = (
        ConnectBrowser(make_claim(AgentFactory())).cookies["operator"].value
    )
    assert key_on(visitor.open(address_of())) == ""  # It is not this session's key.


def test_a_double_click_registers_one(visitor, address_of):
    page = visitor.open(address_of())
    cookie = visitor.cookies["csrftoken"].value

    def click():
        visitor.cookies["csrftoken"] = cookie  # The browser sends both before a response.
        return visitor.send(page, **ADA)

    first, second = click(), click()

    assert second["Location"] == first["Location"]
    assert (Agent.objects.count(), OperatorKey.objects.count()) == (1, 1)
    key = OperatorKey.objects.get()
    key.revoke("Lost")
    third = click()
    assert "Sign in to connect claude.example" in text_of(visitor.open(third["Location"]))
    assert (Agent.objects.count(), "operator" in third.cookies) == (1, False)


def test_what_is_refused_registers_nothing(visitor, address_of, settings, subtests):
    page = visitor.open(address_of())
    other = visitor.open(address_of(state="another")).context["page"]
    for name, fields, text in (
        ("no name", {"name": " "}, "This field is required."),
        ("no address", {"email": "ada"}, "Enter a valid email address."),
        ("a hidden character", {"name": "Ada\u202e"}, "must not contain control characters"),
        ("a forged page", {"page": "a:b:c"}, "No agent yet?"),
        ("a page of another request", {"page": other}, "No agent yet?"),
    ):
        with subtests.test(name):
            response = visitor.send(page, **ADA | fields)
            assert (response.status_code, text in text_of(response)) == (400, True)
    assert 'value="ada@example.com"' in response.content.decode()  # Nothing is lost.
    for registration in ("invitation", "closed"):
        settings.REGISTRATION = registration
        response = visitor.send(page, **ADA)
        assert (response.status_code, "No agent yet?" in text_of(response)) == (400, False)
        assert "No agent yet?" not in text_of(visitor.open(address_of()))
    forged = visitor.post(address_of(), ADA, headers={"Origin": "https://a.example"})
    assert forged.status_code == 403
    assert not OperatorKey.objects.exists()
    assert not Agent.objects.exists()


def test_it_counts_as_a_registration(visitor, address_of, rates, anyone):
    rates(register="1/h")
    assert anyone.post("/api/v1/agents/register", {}).status_code == 201

    refused = visitor.send(visitor.open(address_of()), **ADA)

    assert refused.status_code == 429
    assert "You can register 1 agent from one IP address in 60 minutes." in text_of(refused)
    assert not OperatorKey.objects.exists()
