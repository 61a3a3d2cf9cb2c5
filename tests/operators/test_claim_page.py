"""The claim page that an operator opens: GET and POST /claim/<secret> (contract 7)"""

import re
import time
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from agents.models import Agent, ClaimCode
from agents.tokens import mint_key
from marketplace.shown_once import redirect_to_show
from tests.browser import untouched_form
from tests.factories import AgentFactory, ask_for_code
from tests.operators.claiming import CODE, CONFIRM, OPERATOR, claim_of, code_in, submit

ORIGIN = {"Origin": "http://testserver"}


@pytest.mark.contract("7.1")
def test_the_address_comes_from_the_registration(anyone, operator):
    url = anyone.post("/api/v1/agents/register", {}).json()["claim"]["claimUrl"]

    assert url.startswith("http://testserver/claim/")
    assert operator.get(url).status_code == 200


def test_the_request_to_send_goes_to_the_public_url(operator, url, settings):
    settings.PUBLIC_URL = "https://market.example"

    assert f"POST https://market.example{CONFIRM}\n" in submit(operator, url).content.decode()


@pytest.mark.contract("7.2")
def test_it_shows_handle_name_and_age(operator, url):
    Agent.objects.update(created_at=timezone.now() - timedelta(days=3))

    page = operator.get(url)

    text = page.content.decode()
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "caller" in text
    assert "The Caller" in text
    assert "UTC, 3 days ago</dd>" in text


@pytest.mark.contract("7.2")
def test_it_asks_for_a_name_and_an_e_mail_address_or_for_a_key(operator, url):
    page = operator.get(url)

    always = {"csrfmiddlewaretoken", "seen"}
    assert {*untouched_form(page, "new-key")} == {*always, "name", "email"}
    assert {*untouched_form(page, "own-key")} == {*always, "key"}


@pytest.mark.contract("7.2")
def test_looking_at_the_page_changes_nothing(operator, client, url):
    assert operator.head(url).status_code == 200
    assert claim_of(client)["status"] == "unclaimed"


@pytest.mark.contract("7.3")
def test_the_form_gives_a_code_that_the_agent_confirms_with(operator, client, url):
    code = code_in(submit(operator, url))

    assert CODE.fullmatch(code)
    assert claim_of(client)["status"] == "pending"
    response = client.post(CONFIRM, {"code": code})
    assert response.status_code == 200
    assert response.json()["claim"]["operator"] == {"name": "Ada Lovelace"}


@pytest.mark.contract("7.11")
def test_the_agent_alone_does_not_learn_the_code_nor_the_operator(operator, client, url):
    code = code_in(submit(operator, url))

    claim = claim_of(client)
    assert claim["operator"] is None
    assert not {code, "Ada Lovelace"} & {*map(str, claim.values())}


@pytest.mark.contract("2.11")
@pytest.mark.parametrize("name", ["Ada\nLovelace", "\u202eecalevoL adA", "Ada\U000e0041"])
def test_a_name_with_control_characters_is_refused(operator, client, url, name):
    page = submit(operator, url, name=name)

    assert page.status_code == 400
    assert "This must not contain control characters." in page.content.decode()


@pytest.mark.contract("28.7")
@pytest.mark.parametrize("address", ['"a\x01"@example.com', "a@b\u202ec.com", "a@b\ufdd0c.com"])
def test_an_address_with_control_characters_is_refused(operator, client, url, address):
    page = submit(operator, url, email=address)

    assert page.status_code == 400
    assert "This must not contain control characters." in page.content.decode()
    assert claim_of(client)["status"] == "unclaimed"


@pytest.mark.contract("19.16")
def test_no_email_is_sent(operator, client, url):
    code = code_in(submit(operator, url))
    assert client.post(CONFIRM, {"code": code}).status_code == 200

    assert mail.outbox == []


@pytest.mark.contract("7.3")
def test_the_code_stays_in_the_browser_that_has_asked_for_it(operator, url):
    page = submit(operator, url)
    code = code_in(page)

    assert f'Confirm your operator with code <b id="code">{code}</b>' in page.content.decode()
    for _ in range(2):  # as often as it is loaded again
        assert code_in(operator.get(url)) == code
    assert ClaimCode.objects.count() == 1
    assert code not in Client().get(url).content.decode()


@pytest.mark.contract("7.3")
def test_the_page_notices_that_the_agent_has_confirmed(operator, client, url):
    page = submit(operator, url)
    assert 'data-waits="valid"' in page.content.decode()
    assert '<noscript><meta http-equiv="refresh" content="10"></noscript>' in page.content.decode()
    client.post(CONFIRM, {"code": code_in(page)})

    text = operator.get(url).content.decode()

    assert "<h1>Confirmed</h1>" in text
    assert "data-waits" not in text
    assert not CODE.search(text)
    led = operator.post("/operator?agent=caller", untouched_form(operator.get(url)), headers=ORIGIN)
    assert (led.status_code, led["Location"]) == (302, "/operator/agents/caller")
    assert operator.get(led["Location"]).status_code == 200


def expire():
    ClaimCode.objects.update(code_expires_at=timezone.now())


def replace():
    for _ in range(3):
        ask_for_code(Agent.objects.get())


@pytest.mark.contract("7.3")
@pytest.mark.parametrize("end", [expire, replace])
def test_the_page_says_that_a_code_is_void_and_asks_again(operator, url, end):
    submit(operator, url)
    end()

    text = operator.get(url).content.decode()

    assert "Your code is no longer valid" in text
    assert "mkt_operator_" not in text
    assert not CODE.search(text)
    assert code_in(submit(operator, url))


@pytest.mark.contract("7.3")
def test_the_cookie_is_for_this_page_alone_and_tells_nothing(operator, url, settings):
    code = code_in(submit(operator, url))
    cookie = operator.cookies["shown-once"]

    assert (cookie["path"], cookie["samesite"], cookie["max-age"]) == (url, "Lax", 1200)
    assert cookie["httponly"]
    assert re.fullmatch("[0-9a-f]{200,}", cookie.value)
    other = f"/claim/{AgentFactory().claim.secret}"
    for value, path in ((cookie.value, other), (cookie.value[:-2] + "00", url), ("x", url)):
        browser = Client()
        browser.cookies["shown-once"] = value
        assert code not in browser.get(path).content.decode()
    settings.SECRET_KEY = "another"
    assert code not in operator.get(url).content.decode()


def test_the_cookie_of_another_page_shows_nothing(operator, url):
    value = redirect_to_show("/operator/agents/caller/tokens/x", text="x").cookies["shown-once"]
    operator.cookies["shown-once"] = value.value

    page = operator.get(url)

    assert page.status_code == 200
    assert "Are you the operator of" in page.content.decode()


def test_the_cookie_ends(operator, url, monkeypatch):
    code = code_in(submit(operator, url))
    later = time.time() + 1201
    monkeypatch.setattr("cryptography.fernet.time.time", lambda: later)

    assert code not in operator.get(url).content.decode()


@pytest.mark.contract("19.27")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("name", "", id="no name"),
        pytest.param("name", "   ", id="a name of spaces"),
        pytest.param("name", "x" * 81, id="a long name"),
        pytest.param("name", "Ada\0", id="a NUL"),
        pytest.param("name", f"My key is {mint_key()}", id="a key"),
        pytest.param("email", f"{mint_key()}@example.com", id="a key in the address"),
        pytest.param("email", "", id="no e-mail address"),
        pytest.param("email", "ada at example", id="no address"),
        pytest.param("email", "ada@example.com\0", id="a NUL in the address"),
        pytest.param("email", "a" * 250 + "@example.com", id="an address too long to store"),
        pytest.param("email", "a" * 400 + "@example.com", id="a very long address"),
    ],
)
def test_an_invalid_form_is_a_400_with_the_page(operator, client, url, field, value):
    page = submit(operator, url, **{field: value})

    text = page.content.decode()
    assert page.status_code == 400
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    # At the top of the page, with a link to the field.
    told = f'<p><b>Nothing has been changed.</b></p>\n<ul><li><a href="#id_{field}'
    assert f'role="alert">{told}' in text
    assert text.index('role="alert"') < text.index("<h1>")
    assert not CODE.search(text)
    assert {"name", "email"} <= {*untouched_form(page, "new-key")}
    assert claim_of(client)["status"] == "unclaimed"


def test_an_invalid_form_keeps_the_input(operator, url):
    form = untouched_form(submit(operator, url, email="ada@"), "new-key")

    assert (form["name"], form["email"]) == ("Ada Lovelace", "ada@")


@pytest.mark.parametrize("body", [b"\xff\xfe=\x80", b"name=%ED%A0%80&email=%00", b"{}"])
def test_a_body_that_is_no_form_is_a_400(url, body):
    page = Client(raise_request_exception=False).post(
        url, body, content_type="application/x-www-form-urlencoded"
    )

    assert page.status_code == 400
    assert page.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\"'><img src=x>", "{{ 7|add:1 }}"])
def test_the_claim_page_escapes_names(operator, client_of, name):
    agent = AgentFactory(name=name)
    url = f"/claim/{agent.claim.secret}"

    pages = [operator.get(url), submit(operator, url, name=name, email="no"), submit(operator, url)]
    code = code_in(submit(operator, url, name=name))
    assert client_of(agent).post(CONFIRM, {"code": code}).status_code == 200
    pages.append(operator.get(url))

    operator.cookies.pop("shown-once")
    pages.append(operator.get(url))

    for page in pages:
        text = page.content.decode().replace('<script defer src="/static/pages.js">', "")
        assert "<script" not in text
        # The header of the site has one image.
        assert "<img" not in text.partition("<main")[2]
        assert "\"'>" not in text
    assert "claimed this agent on" in text


@pytest.mark.contract("7.1")
def test_an_unknown_secret_is_a_404_page(anyone, agent, alone):
    for secret in ["A" * 32, "a", "a" * 3000, "%00", "é", "..", "", "a/b"]:
        for method in ["get", "post"]:
            with alone(f"{method} {secret}"):
                page = getattr(Client(raise_request_exception=False), method)(f"/claim/{secret}")

                assert page.status_code == 404
                assert page.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("cut", [slice(0, -1), slice(1, None)])
def test_a_part_of_the_secret_is_not_enough(operator, agent, cut):
    assert operator.get(f"/claim/{agent.claim.secret[cut]}").status_code == 404
    assert operator.get(f"/claim/{agent.claim.secret.swapcase()}").status_code == 404


@pytest.mark.parametrize("headers", [{}, {"Origin": "null"}, {"Origin": "https://evil.example"}])
def test_a_post_without_the_csrf_token_or_from_elsewhere_is_refused(operator, client, url, headers):
    form = untouched_form(operator.get(url)) if headers else {}

    page = operator.post(url, form | OPERATOR, headers=headers)

    assert page.status_code == 403
    assert page.headers["Content-Type"].startswith("text/html")
    assert claim_of(client)["status"] == "unclaimed"


def test_the_claim_page_refuses_other_methods(operator, url):
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        response = operator.generic(method, url)
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD, POST")
