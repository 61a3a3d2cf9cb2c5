"""The consent page, GET and POST /operator/connect (contract 35.20 to 35.25)"""

import pytest

from agents.models import Agent
from audit.models import AuditEvent
from connections.models import AuthorizationCode, OAuthClient
from tests.connections.conftest import Connector
from tests.connections.pages.consenting import (
    CALLBACK,
    CHALLENGE,
    ISSUER,
    LOOPBACK,
    parameters_of,
    text_of,
)
from tests.factories import AgentFactory, claim


@pytest.mark.contract("35.23")
def test_the_page_shows_callback_name_agent_and_scopes_in_this_order(person, address_of):
    page = person.open(address_of())

    assert page.status_code == 200
    parts = [
        *("Connect claude.example ?", "It calls itself “ Claude ”.", "caller (The Caller)"),
        *("See the catalogue, and what the agent has", "Install, update and remove"),
        *("Review personas and report problems", "Allow", "Deny"),
    ]
    text = text_of(page)
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.contract("35.23")
def test_an_app_on_this_computer_comes_with_a_warning(person, address_of):
    for callback in (LOOPBACK, "http://127.0.0.1:49152/callback"):
        text = text_of(person.open(address_of(redirect_uri=callback)))

        assert "Connect an app on this computer?" in text
        assert "Any program on this computer can ask for this" in text
        assert "127.0.0.1" not in text


@pytest.mark.contract("35.23")
def test_what_the_client_calls_itself_is_only_text(person, address_of, claude):
    OAuthClient.objects.update(name='<b>Cl"aude</b>')

    page = person.open(address_of())

    assert "<bdi>&lt;b&gt;Cl&quot;aude&lt;/b&gt;</bdi>" in page.content.decode()
    OAuthClient.objects.update(name="")
    assert "It calls itself nothing." in text_of(person.open(address_of()))


@pytest.mark.contract("35.21", "35.22")
def test_allowing_leads_to_the_callback_with_a_code(person, address_of, claude, agent):
    response = person.answer(address_of())

    callback, parameters = parameters_of(response)
    code = AuthorizationCode.objects.get()
    assert callback == CALLBACK
    assert {**parameters, "code": "a code"} == {
        "code": "a code",
        "state": "s t&a=te",
        "iss": ISSUER,
    }
    assert AuthorizationCode.objects.of_text(parameters["code"]) == code
    assert (code.client, code.claim, code.key) == (claude, agent.claim, agent.claim.key)
    assert code.scopes == ["read", "install", "review"]
    assert (code.redirect_uri, code.code_challenge) == (CALLBACK, CHALLENGE)
    assert response["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert response["Referrer-Policy"] == "strict-origin"


@pytest.mark.contract("35.15", "35.21")
def test_the_client_gets_the_agent_s_token_for_the_code(person, address_of, claude, client_of):
    _, parameters = parameters_of(person.answer(address_of(), scopes=["read"]))

    tokens = Connector(claude).exchange(parameters["code"], redirect_uri=CALLBACK).json()

    assert tokens["scope"] == "read"
    client = client_of(token=tokens["access_token"])
    assert client.get("/api/v1/agents/me").json()["handle"] == "caller"
    again = Connector(claude).exchange(parameters["code"], redirect_uri=CALLBACK)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


@pytest.mark.contract("35.21")
def test_denying_leads_there_without_one(person, address_of):
    response = person.answer(address_of(), "deny", page="", agent="", scopes=[])

    assert parameters_of(response) == (
        CALLBACK,
        {
            "error": "access_denied",
            "error_description": "The person denied the connection",
            "state": "s t&a=te",
            "iss": ISSUER,
        },
    )
    assert not AuthorizationCode.objects.exists()
    assert not AuditEvent.objects.filter(action="allow_connection").exists()


@pytest.mark.contract("35.21")
def test_the_callback_keeps_its_query_and_the_state_is_as_it_came(person, address_of, claude):
    callback = f"{CALLBACK}?a=%20&b"
    claude.redirect_uris = [callback]
    claude.save()

    for state, end in (("", "&state=&iss="), (None, "&iss="), ("a b", "&state=a+b&iss=")):
        location = person.answer(address_of(redirect_uri=callback, state=state), "deny")["Location"]
        assert location == (
            f"{callback}&error=access_denied&error_description=The+person+denied+the+connection"
            f"{end}http%3A%2F%2Ftestserver"
        )


@pytest.mark.contract("35.23")
def test_the_person_may_allow_less_than_requested(person, address_of):
    page = person.open(address_of(scope="install read admin submit clone"))

    assert "Review personas" not in text_of(page)
    person.send(page, scopes=["read"])
    assert AuthorizationCode.objects.get().scopes == ["read"]


@pytest.mark.contract("35.23")
def test_unknown_scopes_are_dropped_and_none_are_all(person, address_of):
    every = ["read", "install", "review"]
    for scope, scopes in {
        None: every,
        "": every,
        "submit clone admin": every,
        "review read": ["read", "review"],
        "\0 réad read": ["read"],
    }.items():
        form = person.open(address_of(scope=scope)).context["form"]
        assert [name for name, _ in form.fields["scopes"].choices] == scopes
        assert form.fields["scopes"].initial == scopes


@pytest.mark.contract("35.23")
def test_a_form_that_allows_something_else_is_refused(person, address_of, subtests):
    page = person.open(address_of(scope="read"))
    other = AgentFactory(handle="other")
    claim(other)
    for name, fields, text in (
        ("nothing", {"scopes": []}, "Allow at least one of these, or deny the connection."),
        ("a scope that was not requested", {"scopes": ["install"]}, "Choose from the list."),
        ("no scope", {"scopes": ["submit"]}, "Choose from the list."),
        ("somebody else's agent", {"agent": "other"}, "Choose from the list."),
        ("a new agent of somebody else", {"agent": "new other"}, "Choose from the list."),
        ("no agent", {"agent": "caller caller"}, "Choose from the list."),
    ):
        with subtests.test(name):
            response = person.send(page, **fields)
            assert (response.status_code, text in text_of(response)) == (400, True)
    assert person.send(page, "").status_code == 400
    assert not AuthorizationCode.objects.exists()


@pytest.mark.contract("35.23")
def test_agents_that_the_operator_can_only_view_are_not_offered(person, address_of, agent):
    claim_row = agent.claim
    claim_row.scopes = ["read"]
    claim_row.save()

    page = person.open(address_of())

    assert [value for value, _ in page.context["form"].fields["agent"].choices] == ["new caller"]
    assert person.send(page, agent="caller").status_code == 400


@pytest.mark.contract("35.23")
def test_stopped_agents_are_not_offered(person, address_of, agent, settings):
    agent.pause()
    choices = person.open(address_of()).context["form"].fields["agent"].choices
    assert [value for value, _ in choices] == ["new caller"]

    agent.suspend()
    page = person.open(address_of())
    assert "None of your agents can be connected" in text_of(page)
    assert "Allow" not in text_of(page)
    assert parameters_of(person.send(page, "deny"))[1]["error"] == "access_denied"


@pytest.mark.contract("35.22")
def test_it_asks_every_time(person, address_of):
    for number in (1, 2):
        page = person.open(address_of())
        assert "Connect claude.example ?" in text_of(page)
        person.send(page)
        assert AuthorizationCode.objects.count() == number


@pytest.mark.contract("35.22")
def test_a_page_gets_one_code_however_often_it_is_sent(person, address_of):
    page = person.open(address_of())
    first = person.send(page)

    assert person.send(page)["Location"] == first["Location"]  # a double click
    other = person.send(page, scopes=["read"])

    assert other.status_code == 409
    assert "You have answered this already" in text_of(other)
    code = AuthorizationCode.objects.get()
    code.void()
    again = person.send(page)
    assert (again.status_code, text_of(again)) == (409, text_of(other))
    assert AuthorizationCode.objects.count() == 1


@pytest.mark.contract("35.22")
def test_a_page_is_answered_in_its_own_session_for_its_own_request(person, address_of, subtests):
    page = person.open(address_of())
    for name, send in {
        "another request": lambda: person.send(page, page=other_page(person, address_of)),
        "no page": lambda: person.send(page, page=""),
        "a forged page": lambda: person.send(page, page="x:y:z"),
    }.items():
        with subtests.test(name):
            response = send()
            assert response.status_code == 400
            assert "This page was open for too long" in text_of(response)
            assert not AuthorizationCode.objects.exists()


def other_page(person, address_of):
    return person.open(address_of(state="another")).context["page"]


@pytest.mark.contract("35.22")
def test_a_page_of_an_earlier_session_is_shown_again(person, address_of, agent):
    page = person.open(address_of())
    person.log_in(claim(agent))

    response = person.send(page, csrfmiddlewaretoken=person.cookies["csrftoken"].value)

    assert response.status_code == 400
    assert "This page was open for too long" in text_of(response)
    assert parameters_of(person.send(response))[0] == CALLBACK


@pytest.mark.contract("35.25")
def test_it_is_recorded_for_the_operator_and_in_the_audit_trail(person, address_of, agent):
    last = AuditEvent.objects.last_id()

    person.answer(address_of(), scopes=["read", "install"])

    [event] = AuditEvent.objects.filter(pk__gt=last)
    text = "Allowed Claude, claude.example: read, install."
    assert (event.actor_kind, event.actor_name, event.action) == (
        *("operator", "Ada Lovelace", "allow_connection"),
    )
    assert (event.object_kind, event.object_name, event.details) == (
        *("agent", "caller", {"message": text}),
    )
    snapshot = Agent.history.latest()
    assert (snapshot.operator, snapshot.history_change_reason) == ("Ada Lovelace", text)
