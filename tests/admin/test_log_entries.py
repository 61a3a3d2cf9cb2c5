"""The changes by staff"""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.utils import timezone

from tests.admin.actions import log_change, take_action
from tests.admin.rows import change_page
from tests.factories import AgentFactory, SkillFactory

LOG = "/admin/admin/logentry/"


def listed(client, **query):
    page = client.get(LOG, query)
    assert page.status_code == 200
    return [(str(row.user), row.object_repr) for row in page.context["cl"].result_list]


def aged(entry, days):
    LogEntry.objects.filter(pk=entry.pk).update(action_time=timezone.now() - timedelta(days=days))


def test_it_shows_who_changed_what(admin_client):
    skill = SkillFactory(slug="pdf-tables", status="draft")
    take_action(admin_client, "publish", skill)

    page = admin_client.get(LOG).content.decode()

    assert f'<a href="{change_page(skill)}">pdf-tables</a>' in page
    assert "Published." in page
    [ranking] = [
        ranking
        for ranking in admin_client.get("/admin/").context["rankings"]
        if ranking["title"] == "Changed by staff this week"
    ]
    [(text, note, url)] = ranking["rows"]
    assert (text, url) == ("pdf-tables: Published.", change_page(skill))
    assert note == f"{LogEntry.objects.get().user}, 0\xa0minutes ago"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["now", "week", "month", "year"]),
        ({"action_time__gte": str(timezone.now() - timedelta(days=8))}, ["now", "week"]),
        ({"q": "wee"}, ["week"]),
        ({"q": "ada"}, ["now", "week", "month", "year"]),
    ],
)
def test_it_can_be_searched_and_filtered_by_date(admin_client, query, names):
    ada = User.objects.create_user("ada")
    for slug, days in (("year", 365), ("month", 20), ("week", 6), ("now", 0)):
        aged(log_change(SkillFactory(slug=slug), "Changed.", ada), days)

    assert sorted(listed(admin_client, **query)) == sorted(("ada", name) for name in names)


def test_a_role_sees_the_changes_of_what_it_may_open(admin_client_of):
    ada = User.objects.create_user("ada")
    for row in (SkillFactory(slug="pdf-tables"), AgentFactory(handle="crawler"), ada):
        log_change(row, "Changed.", ada)

    assert listed(admin_client_of("Editors")) == [("ada", "pdf-tables")]
    assert listed(admin_client_of("Moderators")) == [("ada", "crawler")]


def test_a_deleted_row_has_no_link(admin_client):
    skill = SkillFactory(slug="pdf-tables", status="draft")
    admin_client.post(change_page(skill).replace("change", "delete"), {"post": "yes"})

    page = admin_client.get(LOG).content.decode()

    assert "pdf-tables" in page
    assert change_page(skill) not in page


def test_nobody_changes_the_log(admin_client):
    entry = log_change(SkillFactory(), "Changed.")

    for page in ("add/", f"{entry.pk}/delete/"):
        assert admin_client.post(LOG + page, {"post": "yes"}).status_code == 403
    assert LogEntry.objects.get() == entry
