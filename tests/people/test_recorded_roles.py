"""The audit trail has the roles that the provider gives and takes away (contract 33.11)"""

import pytest

from audit.models import AuditEvent
from people.models import Person


def new_events(last=0):
    """(actor kind, actor, action, message) since an event."""
    events = AuditEvent.objects.filter(pk__gt=last).order_by("pk")
    assert {event.address for event in events} <= {"127.0.0.1"}
    return [
        (event.actor_kind, event.actor_name, event.action, event.details.get("message", ""))
        for event in events
    ]


@pytest.mark.contract("33.3", "33.11")
def test_a_sign_in_and_each_look_that_changes_them(provider, ada, age):
    user = Person.objects.get().user
    by_provider = "system", "identity provider", "change_roles"
    change = "Roles before: {}. Roles now: {}."
    assert new_events() == [
        (*by_provider, change.format("none", "Editors")),
        ("staff", user.username, "log_in", ""),
    ]

    last = AuditEvent.objects.latest("pk").pk
    looks = [
        (["writers"], []),
        (["helpers"], [(*by_provider, change.format("Editors", "Moderators"))]),
        (
            [],
            [
                (*by_provider, change.format("Moderators", "none")),
                ("staff", "", "log_in_failed", ""),
            ],
        ),
    ]
    for groups, told in looks:
        age(ada)
        provider.people["ada"]["groups"] = groups
        ada.come_back(ada.lead(ada.get("/admin/")))
        assert new_events(last) == told
        last = AuditEvent.objects.latest("pk").pk


@pytest.mark.contract("32.15", "33.4")
def test_a_look_that_fails_is_a_failed_log_in(ada, age):
    age(ada)
    address, ada.person = ada.get("/admin/"), None
    last = AuditEvent.objects.latest("pk").pk

    assert ada.come_back(ada.lead(address)).status_code == 403

    [event] = AuditEvent.objects.filter(pk__gt=last)
    assert (event.action, event.actor_name) == ("log_in_failed", "")
    assert event.object_name == str(Person.objects.get().user)
