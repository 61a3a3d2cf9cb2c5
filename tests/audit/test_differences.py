"""An event tells what a user or a role may do before and after a change (contract 33.11)"""

import pytest
from django.contrib.auth.models import Group, Permission, User

from audit.models import AuditEvent
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import AgentFactory, SourceFactory

pytestmark = [pytest.mark.django_db, pytest.mark.contract("33.11")]


def save(browser, url, **fields):
    form = untouched_form(browser.get(url)) | fields
    assert browser.post(url, {key: form[key] for key in form if form[key]}).status_code == 302
    event = AuditEvent.objects.latest("pk")
    return event.object_name, event.details["message"]


def test_of_a_user(admin_client):
    roles = {group.name: str(group.pk) for group in Group.objects.all()}
    passwords = dict.fromkeys(("password1", "password2"), "long-enough-7")

    added = save(
        admin_client,
        "/admin/auth/user/add/",
        username="ada",
        usable_password="true",
        role=roles["Editors"],
        **passwords,
    )
    changed = save(
        admin_client,
        change_page(User.objects.get(username="ada")),
        username="grace",
        role=roles["Moderators"],
        is_superuser="on",
        is_active="",
    )

    assert added == ("ada", "Added. Roles before: none. Roles now: Editors.")
    assert changed == (
        "grace",
        (
            "Changed Username, role, Superuser status and Active. It was called ada. "
            "Roles before: Editors. Roles now: superuser, Moderators, not active."
        ),
    )


def test_of_a_role(admin_client, django_assert_max_num_queries):
    first, second, third = Permission.objects.filter(codename__endswith="_skill")[:3]
    group = Group.objects.create(name="Readers")
    group.permissions.set([first, second])

    with django_assert_max_num_queries(60):
        changed = save(
            admin_client,
            change_page(group),
            name="Writers",
            permissions=[str(second.pk), str(third.pk)],
        )

    assert changed == (
        "Writers",
        (
            "Changed Name and Permissions. It was called Readers. "
            f"Granted catalogue.{third.codename}. Withdrew catalogue.{first.codename}."
        ),
    )


def test_of_what_may_publish_and_how_often(admin_client, settings, rates):
    rates(install={"free": "20/h", "plus": "200/h"})
    settings.SOURCE_HOSTS = ["git.example.com"]
    source = SourceFactory(name="team", url="https://git.example.com/team", ref="")

    changes = [
        save(admin_client, change_page(source), review="git", ref="main"),
        save(admin_client, change_page(AgentFactory(handle="crawler")), tier="plus"),
    ]

    assert changes == [
        (
            "team",
            (
                "Changed Branch or tag and Review. Branch or tag before: none. Branch or tag now: "
                "main. Review before: Here: staff publish or reject each change. Review now: In "
                "git: changes are published unless inspection finds something."
            ),
        ),
        ("crawler", "Changed tier. Tier before: free. Tier now: plus."),
    ]
