"""The event of the audit trail that each way through a sign-in leaves (contract 32.15, 33.8)"""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from audit.models import AuditEvent
from people.models import Provider
from tests.people.conftest import CALLBACK


def roles(before, now):
    return {"message": f"Roles before: {before}. Roles now: {now}."}


@pytest.fixture
def told(db):
    """(action, name of the actor, name of the object, details) of each event since the last call"""

    def told():
        rows = AuditEvent.objects.filter(pk__gt=told.last).order_by("pk")
        told.last = rows[len(rows) - 1].pk if rows else told.last
        assert {(row.actor_kind, row.object_kind) for row in rows} <= {("staff", "user")}
        return [(row.action, row.actor_name, row.object_name, row.details) for row in rows]

    told.last = 0
    return told


@pytest.mark.contract("32.8", "32.15", "33.8", "33.11")
def test_a_sign_in_is_one_event_and_so_are_new_roles(provider, browser_of, told):
    browser_of("ada").sign_in()
    name = User.objects.get().username
    by_ada = (name, f"Ada Lovelace ({name})")
    assert told() == [("log_in", *by_ada, roles("none", "Editors"))]
    browser_of("ada").sign_in()
    assert told() == [("log_in", *by_ada, {})]
    provider.people["ada"]["groups"] = ["it", "helpers"]
    browser_of("ada").sign_in()
    assert told() == [("log_in", *by_ada, roles("Editors", "superuser, Moderators"))]
    User.objects.update(is_superuser=False)  # by hand
    browser_of("ada").sign_in()
    assert told() == [("log_in", *by_ada, roles("Moderators", "superuser, Moderators"))]

    provider.people["ada"]["groups"] = ["guests"]
    for details in (roles("superuser, Moderators", "none"), {}):
        browser_of("ada").sign_in()
        assert told() == [("log_in_failed", "", by_ada[1], details)]

    changes = [
        roles("none", "Editors"),
        roles("Editors", "superuser, Moderators"),
        roles("Moderators", "superuser, Moderators"),
        roles("superuser, Moderators", "none"),
    ]
    history = LogEntry.objects.filter(object_id=User.objects.get().pk).order_by("pk")
    assert [{"message": entry.change_message} for entry in history] == changes


@pytest.mark.contract("32.15", "33.8")
def test_a_look_is_an_event_if_it_changes_roles_or_fails(provider, ada, age, told):
    name = User.objects.get().username
    shown = f"Ada Lovelace ({name})"
    told()

    def look(**changes):
        age(ada)
        ada.come_back(ada.lead(ada.get("/admin/")), **changes)
        return told()

    assert look() == []
    provider.people["ada"]["groups"] = ["helpers"]
    assert look() == [("sign-in-callback", name, shown, roles("Editors", "Moderators"))]
    assert look(code=None, error="login_required") == [("log_in_failed", "", shown, {})]
    assert ada.get("/admin/").status_code == 302
    ada.sign_in()
    told()
    provider.people["ada"]["groups"] = []
    assert look() == [("log_in_failed", "", shown, roles("Moderators", "none"))]


@pytest.mark.contract("32.15", "33.8")
def test_no_event_names_anybody_who_is_no_user_or_tells_of_a_provider_that_is_down(
    provider, browser_of, told
):
    browser_of("mallory").sign_in()
    assert told() == [("log_in_failed", "", "", {})]
    browser = browser_of("ada")
    address = browser.lead(browser.get("/admin/sign-in"))

    assert browser_of().get(f"{CALLBACK}?state=x&here=1").status_code == 403
    provider.__exit__()
    assert browser.come_back(address).status_code == 503
    Provider.objects.all().delete()
    assert browser_of().get("/admin/sign-in").status_code == 503

    assert told() == []
