"""How a session of the operator's console ends (contract 19.3)"""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import OperatorKey
from operators.models import OperatorSession
from tests.browser import untouched_form
from tests.factories import AgentFactory, ask_for_code, claim
from tests.operators.conftest import OperatorBrowser

FORM = '<input id="key" name="key" type="password"'


def is_open(browser):
    return FORM not in browser.get("/operator").content.decode()


@pytest.mark.contract("19.3")
@pytest.mark.parametrize(("age", "expected"), [(719, True), (720, False)])
def test_it_lasts_twelve_hours(console, age, expected):
    OperatorSession.objects.update(created_at=timezone.now() - timedelta(minutes=age))

    assert is_open(console) is expected


def test_those_that_are_over_are_deleted_at_the_next_log_in(console, key):
    OperatorSession.objects.update(created_at=timezone.now() - timedelta(hours=13))
    OperatorBrowser(key)

    assert OperatorSession.objects.count() == 1


@pytest.mark.contract("19.3")
def test_logging_out_ends_it_for_a_copy_of_its_cookie_too(console, key):
    copy, other = OperatorBrowser(), OperatorBrowser(key)
    copy.cookies["operator"] = console.cookies["operator"].value
    assert is_open(copy)

    page = console.post("/operator/log-out", untouched_form(console.get("/operator")))

    assert (page.status_code, page.headers["Location"]) == (302, "/operator")
    assert page.cookies["operator"].value == ""
    assert "You are logged out." in console.get("/operator").content.decode()
    assert not is_open(copy)
    assert is_open(other)


def test_logging_in_anew_ends_the_session_that_the_browser_had(console, key):
    copy = OperatorBrowser()
    copy.cookies["operator"] = console.cookies["operator"].value

    form = untouched_form(console.get("/operator/end-sessions")) | {"key": key}
    assert console.post("/operator", form).status_code == 302

    assert is_open(console)
    assert not is_open(copy)


@pytest.mark.contract("19.3")
def test_end_all_sessions_is_asked_and_ends_all_of_the_key(console, key, stranger):
    other = OperatorBrowser(key)
    page = console.get("/operator/end-sessions")
    assert "End all sessions?" in page.content.decode()
    assert is_open(other)

    console.submit("/operator/end-sessions")

    text = console.get("/operator").content.decode()
    assert "All sessions of your key have ended. The key keeps working." in text
    assert not is_open(console)
    assert not is_open(other)
    assert is_open(stranger)
    assert is_open(OperatorBrowser(key))


def released_by_staff(agent, key, admin_client, anyone):
    data = {"action": "release_claim", "_selected_action": agent.pk, "confirmed": "1"}
    assert admin_client.post("/admin/agents/agent/", data).status_code == 302


def claimed_anew(agent, key, admin_client, anyone):
    agent.claim.confirm(ask_for_code(agent), agent.token)


def reported_as_leaked(agent, key, admin_client, anyone):
    assert anyone.post("/api/v1/tokens/revoke", {"token": key}).json() == {
        "message": "If the token existed, it is revoked"
    }
    assert OperatorKey.objects.get().revocation_reason == "Reported as leaked"


@pytest.mark.contract("15.9", "19.13")
@pytest.mark.parametrize("end", [released_by_staff, claimed_anew, reported_as_leaked])
def test_it_ends_with_the_key(console, agent, key, end, admin_client, anyone):
    end(agent, key, admin_client, anyone)

    assert not is_open(console)
    assert console.log_in(key).status_code == 400


@pytest.mark.contract("19.13")
def test_an_agent_that_leaves_leaves_the_others(console, agent, key):
    other = AgentFactory(handle="second")
    claim(other, key=key)
    assert is_open(console)

    agent.claim.release()

    text = console.get("/operator").content.decode()
    assert "second" in text
    assert "caller" not in text
    assert console.get("/operator/agents/caller").status_code == 404
    other.claim.release()
    assert not is_open(console)


@pytest.mark.contract("19.13")
def test_an_ended_key_never_opens_again(console, agent, key, operator):
    agent.claim.release()
    page = operator.submit(
        f"/claim/{AgentFactory().claim.secret}",
        name="Ada Lovelace",
        email="ada@example.com",
        key=key,
    )

    assert page.status_code == 400
    assert "This key is not valid." in page.content.decode()


def test_its_use_is_noted_every_quarter_of_an_hour(console):
    [first] = OperatorKey.objects.values_list("last_used_at", flat=True)
    assert timezone.now() - first < timedelta(minutes=1)
    console.get("/operator")
    assert OperatorKey.objects.get().last_used_at == first
    OperatorKey.objects.update(last_used_at=first - timedelta(minutes=16))

    console.get("/operator")

    assert OperatorKey.objects.get().last_used_at > first
