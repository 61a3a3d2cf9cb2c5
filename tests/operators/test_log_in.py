"""The log-in to the operator's console: POST /operator (contract 19.2)"""

from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import OperatorKey
from agents.tokens import mint_key
from operators.models import OperatorSession
from tests.browser import untouched_form
from tests.factories import AgentFactory, ask_for_code, claim

URL = "/operator"
INSIDE = ["/operator/agents/caller", "/operator/agents/caller/pause", "/operator/end-sessions"]
FORM = '<input id="key" name="key" type="password"'


def pending_key():
    key = mint_key()
    ask_for_code(AgentFactory(), key=key)
    return key


def ended_key():
    agent = AgentFactory()
    key = claim(agent)
    agent.claim.release()
    return key


def leaked_key():
    key = claim(AgentFactory())
    OperatorKey.objects.get().revoke("Reported as leaked")
    return key


WRONG = {
    "unknown": mint_key,
    "pending": pending_key,
    "ended": ended_key,
    "leaked": leaked_key,
    "mistyped": lambda: claim(AgentFactory())[:-1],
    "token": lambda: AgentFactory().token.text,
    "empty": str,
    "NUL": lambda: "\0",
    "é": lambda: "é" * 10_000,
}


def test_a_visitor_without_a_session_gets_the_form(operator):
    page = operator.get(URL)

    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert FORM in page.content.decode()
    assert {*untouched_form(page)} == {"csrfmiddlewaretoken", "key"}


@pytest.mark.parametrize("path", INSIDE)
def test_every_other_page_leads_to_it(operator, key, path):
    form = untouched_form(operator.get(URL))
    page, posted = operator.get(path), operator.post(path, form)
    query = "?agent=caller" if "agents" in path else ""

    assert (page.status_code, page.headers["Location"]) == (302, URL + query)
    # The page of an agent has no form of its own.
    assert posted.status_code == (405 if path == "/operator/agents/caller" else 302)


@pytest.mark.contract("19.2")
def test_the_right_key_opens_the_console(operator, key):
    page = operator.log_in(key)

    assert (page.status_code, page.headers["Location"]) == (302, URL)
    assert "caller" in operator.get(URL).content.decode()


def test_it_leads_to_the_page_that_was_asked_for(operator, key):
    page = operator.get("/operator/agents/caller/limits", follow=True)
    assert "Your key opens the page of <b>caller</b>." in page.content.decode()

    page = operator.submit(f"{URL}?agent=caller", key=key)

    assert (page.status_code, page.headers["Location"]) == (302, "/operator/agents/caller")


@pytest.mark.parametrize("wrong", ["//evil.example", "..", "Caller", "a%0Db", "%00", ""])
def test_it_leads_to_no_other_page(operator, key, wrong):
    page = operator.submit(f"{URL}?agent={wrong}", key=key)

    assert (page.status_code, page.headers["Location"]) == (302, URL)


def test_spaces_around_the_key_do_not_matter(operator, key):
    assert operator.log_in(f" {key}\r\n").status_code == 302


@pytest.mark.contract("19.3")
@pytest.mark.parametrize("is_https", [True, False])
def test_the_cookie_is_for_this_browser_and_these_pages_alone(operator, key, settings, is_https):
    settings.SESSION_COOKIE_SECURE = is_https

    cookie = operator.log_in(key).cookies["operator"]

    assert {name: cookie[name] for name in ("httponly", "samesite", "path", "max-age")} == {
        "httponly": True,
        "samesite": "Strict",
        "path": "/operator",
        "max-age": 12 * 3600,
    }
    assert bool(cookie["secure"]) is is_https
    assert cookie["domain"] == ""
    assert key[-38:] not in cookie.value


def test_the_csrf_cookie_is_as_strict(operator, key):
    cookies = operator.log_in(key).cookies
    cookie = cookies["csrftoken"]
    assert {*cookies} == {"operator", "csrftoken"}

    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")


@pytest.mark.contract("19.2")
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_key_is_refused_like_every_other(operator, kind):
    wrong = WRONG[kind]()
    form = untouched_form(operator.get(URL)) | {"key": wrong}
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = operator.post(URL, form)

    text = page.content.decode()
    assert page.status_code == 400
    assert "This key does not open a console." in text
    assert "You can try 4 more in the next" in text
    assert "operator" not in page.cookies
    assert len(wrong) < 3 or wrong not in text
    assert not OperatorSession.objects.exists()
    # No shape or state of a key costs more or less than another.
    assert [query["sql"].split()[0] for query in queries if "operatorkey" in query["sql"]] == [
        "SELECT",
        "INSERT",  # the event of the audit trail, for each alike
    ]
    assert FORM in operator.get(URL).content.decode()


@pytest.mark.contract("19.1")
def test_a_pending_key_opens_once_the_agent_has_confirmed_it(operator, agent):
    key = mint_key()
    code = ask_for_code(agent, key=key)
    assert operator.log_in(key).status_code == 400

    agent.claim.confirm(code, agent.token)

    assert operator.log_in(key).status_code == 302


@pytest.mark.contract("19.2")
def test_a_key_in_the_address_opens_nothing(operator, key):
    page = operator.get(f"{URL}?key={key}")

    assert FORM in page.content.decode()
    assert "operator" not in page.cookies
    assert key not in page.content.decode()


@pytest.mark.contract("11.1", "19.2")
def test_five_tries_in_a_quarter_of_an_hour_right_or_wrong(operator, key):
    for tried, left in zip([key, "x", key, "", "x"], [4, 3, 2, 1, 0], strict=True):
        page = operator.log_in(tried)
        assert page.headers["RateLimit-Policy"] == '"operator";q=5;w=900'
        assert page.headers["RateLimit"].startswith(f'"operator";r={left};t=')

    page = operator.log_in(key)

    seconds = int(page.headers["Retry-After"])
    assert page.status_code == 429
    assert 1 <= seconds <= 900
    assert page.headers["RateLimit"] == f'"operator";r=0;t={seconds}'
    assert page.headers["Content-Type"].startswith("text/html")
    assert page.headers["Cache-Control"] == "no-store"
    assert "Too many attempts" in page.content.decode()
    assert "operator" not in page.cookies
    assert key not in page.content.decode()


@pytest.mark.contract("19.2")
def test_wrong_keys_on_the_claim_page_count_too(operator, agent, key):
    fields = {"name": "Ada Lovelace", "email": "ada@example.com"}
    url = f"/claim/{AgentFactory().claim.secret}"
    for _ in range(5):
        assert operator.submit(url, **fields, key=mint_key()).status_code == 400

    pages = [operator.submit(url, **fields, key=key), operator.log_in(key)]

    assert [page.status_code for page in pages] == [429, 429]
    assert operator.submit(url, **fields).status_code == 200


@pytest.mark.contract("19.2")
def test_right_keys_do_not_count_there(operator, key):
    for _ in range(6):
        url = f"/claim/{AgentFactory().claim.secret}"
        page = operator.submit(url, name="Ada Lovelace", email="ada@example.com", key=key)
        assert page.status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Origin": "null"}, {"Origin": "https://evil.example"}])
def test_a_log_in_from_elsewhere_is_refused(operator, key, headers):
    form = untouched_form(operator.get(URL)) if headers else {}

    page = operator.post(URL, form | {"key": key}, headers=headers)

    assert page.status_code == 403
    assert "operator" not in page.cookies
    assert not OperatorSession.objects.exists()


def test_a_cookie_that_was_there_before_gains_nothing(operator, stranger, key):
    operator.log_in(key)
    before = operator.cookies["operator"].value
    form = untouched_form(operator.get("/operator/end-sessions"))

    operator.post(URL, form | {"key": key})

    assert operator.cookies["operator"].value != before
    assert operator.cookies["csrftoken"].value not in {"", form["csrfmiddlewaretoken"]}


@pytest.mark.contract("19.3")
@pytest.mark.parametrize(
    "forged",
    [
        lambda value: value.partition(":")[0],
        lambda value: value[:-1] + ("A" if value[-1] != "A" else "B"),
        lambda value: f"{UUID(int=1)}:{value.partition(':')[2]}",
        lambda _: "",
        lambda _: ":",
        lambda _: "\0:é",
    ],
)
def test_a_forged_cookie_opens_nothing(console, forged):
    console.cookies["operator"] = forged(console.cookies["operator"].value)

    assert FORM in console.get(URL).content.decode()


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_another_method_is_a_405_also_for_who_has_not_logged_in(console, method):
    for path in (URL, "/operator/agents/caller", "/operator/agents/caller/pause"):
        for client in (console, type(console)()):
            assert client.generic(method, path).status_code == 405
