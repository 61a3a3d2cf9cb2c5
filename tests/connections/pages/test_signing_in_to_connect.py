"""How a person who arrives from a client signs in (contract 35.20)"""

from urllib.parse import unquote

import pytest

from audit.models import AuditEvent
from tests.browser import untouched_form
from tests.connections.pages.consenting import CALLBACK, ORIGIN, parameters_of, text_of
from tests.factories import claim


def last_event():
    event = AuditEvent.objects.latest("pk")
    return event.actor_kind, event.actor_name, event.action, event.address


@pytest.mark.contract("35.20")
def test_the_arriving_request_sends_itself_on_once(visitor, address_of):
    address = address_of(state="a&b;c\"d'e")

    page = visitor.get(address)

    assert page.status_code == 200
    assert page["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    onward = page.context["address"]
    assert unquote(onward) == unquote(f"{address}&here=1")
    content = page.content.decode()
    quoted = onward.replace("&", "&amp;")
    assert f'<meta http-equiv="refresh" content="0;url={quoted}">' in content
    assert f'<a href="{quoted}">continue</a>' in content
    asked = visitor.get(onward)
    assert "refresh" not in asked.content.decode()
    assert "Sign in to connect claude.example" in text_of(asked)


@pytest.mark.contract("35.20")
def test_a_session_that_came_along_needs_no_hop(person, address_of):
    assert "Connect claude.example ?" in text_of(person.get(address_of()))


@pytest.mark.contract("35.20")
def test_signing_in_leads_back_however_long_the_address_is(visitor, address_of, agent):
    address = address_of(state="s" * 2000)
    key = claim(agent)
    page = visitor.open(address)

    response = visitor.send(page, key=key)

    assert response.status_code == 302
    assert response["Location"] == page.wsgi_request.get_full_path()
    hint = agent.claim.key.hint
    assert last_event() == ("operator", hint, "log_in", "127.0.0.1")
    cookie = response.cookies["operator"]
    assert (cookie["samesite"], cookie["path"]) == ("Strict", "/operator")
    answered = visitor.send(visitor.get(response["Location"]))
    assert parameters_of(answered)[0] == CALLBACK


@pytest.mark.contract("35.20")
def test_a_wrong_key_is_refused_and_counted(visitor, address_of, agent, rates):
    rates(operator="2/h")
    page = visitor.open(address_of())

    first = visitor.send(page, key="mkt_operator_wrong")

    assert first.status_code == 400
    assert "This key does not open a console." in text_of(first)
    assert "Sign in to connect claude.example" in text_of(first)
    assert first["RateLimit"].startswith('"operator";r=1;')
    assert last_event() == ("operator", "", "log_in_failed", "127.0.0.1")
    visitor.send(page, key="mkt_operator_wrong")
    third = visitor.send(page, key=claim(agent))
    assert (third.status_code, "operator" in third.cookies) == (429, False)


@pytest.mark.contract("35.20")
def test_an_answer_after_the_session_has_ended_asks_for_the_key(person, address_of, agent):
    page = person.open(address_of())
    agent.claim.key.sessions.all().delete()

    response = person.send(page)

    assert response.status_code == 200
    assert "Sign in to connect claude.example" in text_of(response)
    again = person.send(response, key=claim(agent))
    assert again["Location"] == page.wsgi_request.get_full_path()


@pytest.mark.contract("35.20")
def test_a_company_account_does_not_replace_the_key(visitor, address_of, agent, settings):
    visitor.get("/")  # before the middleware looks for a provider's routes
    settings.OIDC_ISSUER, settings.CATALOGUE = "https://login.example", "members"
    page = visitor.open(address_of())

    assert "A company account does not replace the key." in text_of(page)
    assert "Sign in with your company account" not in text_of(page)
    response = visitor.send(page, key=claim(agent))
    assert response.cookies["operator-member"]["samesite"] == "Strict"
    assert "It calls itself" in text_of(visitor.get(response["Location"]))


@pytest.mark.contract("35.27")
def test_the_form_leads_to_the_callback_and_beyond(person, visitor, address_of):
    """Chrome applies `form-action` to all redirects that follow a form."""
    for page in (person.open(address_of()), visitor.open(address_of())):
        assert page["Content-Security-Policy"] == (
            "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )
        assert page["X-Frame-Options"] == "DENY"


@pytest.mark.contract("35.27")
def test_a_client_may_open_it_as_a_popup_and_wait(person, visitor, address_of):
    """Otherwise Chrome tells the client that the popup is closed, and takes its opener away."""
    for response in (
        visitor.get(address_of()),
        visitor.open(address_of()),
        person.open(address_of()),
        person.answer(address_of()),
        person.answer(address_of(), "deny"),
    ):
        assert response["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert person.get("/operator")["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.contract("35.20")
def test_a_forged_form_does_not_sign_in(visitor, address_of, agent):
    key = claim(agent)
    form = untouched_form(visitor.open(address_of()))

    response = visitor.post(address_of(), form | {"key": key}, headers={"Origin": "null"})
    assert response.status_code == 403
    response = visitor.post(address_of(), {"key": key}, headers=ORIGIN)
    assert response.status_code == 403
