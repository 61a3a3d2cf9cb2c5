"""The message about an action, which the next page of the console shows."""

from tests.browser import untouched_form
from tests.factories import AgentFactory, claim
from tests.operators.pages import told

HOME = "/operator/agents/caller"


def test_the_message_is_in_a_cookie_as_strict_as_the_sessions(console, paths, settings):
    settings.SESSION_COOKIE_SECURE = True
    page = console.submit(paths["pause"])

    # The server drops values in quotes.
    assert not {morsel.coded_value for morsel in page.cookies.values() if '"' in morsel.coded_value}
    for cookie in (
        page.cookies["operator_messages"],
        console.get(HOME).cookies["operator_messages"],
    ):
        assert cookie["samesite"] == "Strict"
        assert cookie["path"] == "/operator"
        assert cookie["httponly"]
        assert cookie["secure"]
    assert "operator_messages" not in console.get(HOME).cookies


def test_the_message_waits_for_the_page_and_for_this_operator(console, paths):
    console.submit(paths["pause"])
    console.head(HOME)
    assert [told(console.get(HOME)) for _ in range(2)] == [["Paused caller."], []]
    form = untouched_form(console.get("/operator/end-sessions"))
    console.submit(paths["resume"])

    page = console.post("/operator", form | {"key": claim(AgentFactory())})

    assert page.status_code == 302
    assert told(console.get("/operator")) == []
