"""Sign-ins of staff and of operators are in the audit trail (contract 33.4)"""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from audit.models import AuditEvent
from marketplace.models import RecoveryCode
from tests.admin.authenticator import code_of, enter, log_in
from tests.factories import AgentFactory, claim_by_code
from tests.operators.conftest import OperatorBrowser

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"


@pytest.fixture
def ada():
    return User.objects.create_superuser("ada", password="right-password")


def events():
    """(actor, action, object) of each."""
    rows = AuditEvent.objects.order_by("pk").values_list(
        "actor_kind", "actor_name", "action", "object_kind", "object_name", "address"
    )
    assert {row[-1] for row in rows} == {"127.0.0.1"}
    return [row[:-1] for row in rows]


@pytest.mark.contract("33.4")
def test_those_of_staff_and_their_mistakes(ada):
    device = TOTPDevice.objects.create(user=ada, name="app")
    Client().post(LOGIN, {"username": "ada", "password": "wrong"})
    Client().post(LOGIN, {"username": "my-password", "password": "ada"})
    browser = log_in(ada)
    enter(browser, "000000")
    device.throttle_reset()
    enter(browser, code_of(device.bin_key))
    browser.post("/admin/logout/")
    browser.post("/admin/logout/")

    by_ada, unknown = ("staff", "ada"), ("staff", "")
    assert events() == [
        (*unknown, "log_in_failed", "user", "ada"),
        (*unknown, "log_in_failed", "user", ""),
        (*by_ada, "log_in", "user", "ada"),
        (*unknown, "log_in_failed", "user", "ada"),
        (*by_ada, "second_factor", "user", "ada"),
        (*by_ada, "log_out", "user", "ada"),
    ]


@pytest.mark.contract("33.3", "33.4")
def test_each_use_of_a_recovery_code_is_one_event(ada):
    device = TOTPDevice.objects.create(user=ada, name="app")
    browser = log_in(ada)
    last = AuditEvent.objects.latest("pk").pk

    for act in ({}, {"do": "renew"}, {"do": "remove"}):
        enter(browser, RecoveryCode.objects.renew(device)[0], **act)

    rows = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
    assert {(row.actor_name, row.action, row.object_name) for row in rows} == {
        ("ada", "second_factor", "ada")
    }
    assert [row.details["message"] for row in rows] == [
        "Logged in with a recovery code; 9 left.",
        "Made new recovery codes.",
        "Removed the second factor with a code.",
    ]


@pytest.mark.contract("33.4")
def test_a_right_password_that_opens_nothing_is_a_failed_log_in(db):
    User.objects.create_user("grace", password="right-password")

    page = Client().post(LOGIN, {"username": "grace", "password": "right-password"})

    assert page.status_code == 200
    assert events() == [("staff", "", "log_in_failed", "user", "grace")]


@pytest.mark.contract("33.3")
def test_ending_all_sessions_is_one_event(ada):
    browser = Client()
    browser.force_login(ada)
    last = AuditEvent.objects.latest("pk").pk

    browser.post("/admin/end-sessions/")

    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert (event.actor_name, event.action, event.object_name) == ("ada", "end_sessions", "ada")


@pytest.mark.contract("33.4")
def test_those_of_operators_and_their_mistakes():
    key = claim_by_code(AgentFactory())
    last = AuditEvent.objects.latest("pk").pk
    browser = OperatorBrowser()
    browser.submit("/operator", key="mkt_operator_wrong")
    browser.log_in(key)
    browser.submit("/operator/end-sessions")

    rows = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
    assert [(row.actor_kind, row.action, row.object_kind) for row in rows] == [
        ("operator", "log_in_failed", "operatorkey"),
        ("operator", "log_in", "operatorkey"),
        ("operator", "end_sessions", "operatorkey"),
    ]
    assert [row.actor_name == row.object_name != "" for row in rows] == [False, True, True]
    assert not any(key in row.line for row in rows)
