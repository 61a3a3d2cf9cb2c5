"""Superusers read the audit trail in the admin, and exports are events, too (contract 33.6)"""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import admin
from audit.models import AuditEvent
from tests.factories import AgentFactory, SkillFactory, SubmissionFactory, claim
from tests.operators.conftest import OperatorBrowser

pytestmark = pytest.mark.django_db

TRAIL = "/admin/audit/auditevent/"


def readings():
    rows = AuditEvent.objects.filter(action="read_trail").order_by("pk")
    return [(row.actor_name, row.object_name, row.details) for row in rows]


@pytest.mark.contract("33.6")
def test_opening_the_list_is_an_event_with_its_filters(admin_client):
    AuditEvent.objects.record("log_in", kind="user", names=["ada"], by=("staff", "ada"))
    AuditEvent.objects.record("export", kind="skill", names=["a", "b"], message="mkt_agent_x")
    event = AuditEvent.objects.latest("pk")

    everything = admin_client.get(TRAIL).content.decode()
    found = admin_client.get(TRAIL, {"q": "b", "actions": "readings"}).content.decode()
    pages = [admin_client.get(f"{TRAIL}{event.pk}/{page}/") for page in ("change", "history")]

    assert {page.status_code for page in pages} == {200}
    assert ("staff ada" in everything, "staff ada" in found) == (True, False)
    assert "a, b" in found
    assert readings() == [
        ("clerk-0", "", {"filters": {}}),
        ("clerk-0", "", {"filters": {"q": "b", "actions": "readings"}}),
        *[("clerk-0", str(event.pk), {})] * 2,
    ]


@pytest.mark.contract("33.6")
def test_hidden_characters_disguise_nobody(admin_client):
    """A person who asks for a claim code enters any name."""
    name = "A\u200bda \u202e"
    event = AuditEvent.objects.create(
        actor_kind="operator", actor_name=name, object_name=name, details={"names": [name]}
    )

    for page in (TRAIL, f"{TRAIL}{event.pk}/change/"):
        text = admin_client.get(page).content.decode()
        assert "\u202e" not in text
        assert text.count("A[U+200B]da [U+202E]") >= 3


@pytest.mark.contract("33.6", "33.9")
def test_filters_are_stored_without_secrets_and_without_nul(admin_client):
    token = f"mkt_agent_{'4fKd' * 9}"

    assert admin_client.get(TRAIL, {"q": f"a\0b {token}"}).status_code == 200

    assert readings() == [("clerk-0", "", {"filters": {"q": "ab mkt_agent_[masked]"}})]


@pytest.mark.contract("33.6")
def test_nobody_but_superusers_opens_it(clerk_with):
    clerk = clerk_with("view_auditevent", "change_auditevent", "delete_auditevent")

    assert {clerk.get(page).status_code for page in (TRAIL, f"{TRAIL}export/")} == {403}
    assert clerk.get("/admin/").content.count(b"Audit") == 0
    assert readings() == []


@pytest.mark.contract("33.6")
def test_nobody_changes_it(admin_client):
    event = AuditEvent.objects.create(action="log_in")

    for page in (f"{TRAIL}add/", f"{TRAIL}{event.pk}/delete/"):
        assert admin_client.post(page, {"post": "yes"}).status_code == 403
    assert admin_client.post(f"{TRAIL}{event.pk}/change/", {"action": "x"}).status_code == 403
    assert AuditEvent.objects.get(pk=event.pk).action == "log_in"


@pytest.mark.contract("33.6")
def test_an_export_is_an_event(admin_client):
    for slug in ("first", "second"):
        SkillFactory(slug=slug)
    submission = SubmissionFactory(slug="third", agent__handle="crawler", files=[{}], archive=b"PK")

    bodies = [
        admin_client.get("/admin/catalogue/skill/export/").getvalue(),
        admin_client.get(f"/admin/submissions/submission/{submission.pk}/archive/").getvalue(),
    ]

    assert all(body.startswith(b"PK") for body in bodies)
    rows = AuditEvent.objects.filter(action__in=["export", "archive"]).order_by("pk")
    assert [(row.actor_name, row.object_kind, row.object_name, row.details) for row in rows] == [
        ("clerk-0", "skill", "", {"count": 2, "names": ["first", "second"]}),
        ("clerk-0", "submission", "skill third by @crawler", {}),
    ]


@pytest.fixture
def november():
    """The ids of what Ada, or another one, did around November."""
    first, end = (datetime(2025, month, 1, tzinfo=UTC) for month in (11, 12))
    second, before = timedelta(seconds=1), {}
    acts = [("Ada", first - second), ("Ada", first), ("Ada", end - second), ("Ada", end)]
    for name, at in [*acts, ("Ada Lovelace", first), ("ada", first)]:
        event = AuditEvent.objects.create(
            at=at, actor_kind="staff", actor_name=name, object_name="Ada", address="192.0.2.7"
        )
        before[name, at] = event.pk
    return [before["Ada", first], before["Ada", end - second]]


@pytest.mark.contract("33.6")
def test_the_filtered_list_is_downloaded_as_the_command_prints_it(admin_client, november):
    shown = admin_client.get(TRAIL, {"by": "Ada", "in": "2025-11"})
    [(label, address)] = shown.context["page_buttons"]

    response = admin_client.get(address)

    assert label == "Download as JSON lines"
    assert [event.pk for event in shown.context["cl"].result_list] == november[::-1]
    assert response.headers["Content-Disposition"].startswith('attachment; filename="audit-')
    events = AuditEvent.objects.filter(pk__in=november).order_by("pk")
    lines = response.getvalue().decode().splitlines()
    assert lines == [event.line for event in events]
    assert json.loads(lines[0])["address"] == "192.0.2.7"
    event = AuditEvent.objects.first()
    told = event.actor_name, event.action, event.object_kind, event.details
    filters = {"by": "Ada", "in": "2025-11"}
    assert told == ("clerk-0", "export", "auditevent", {"count": 2, "filters": filters})


@pytest.mark.contract("33.6")
def test_a_day_is_a_period_and_another_text_says_so(admin_client, november):
    day = admin_client.get(TRAIL, {"by": "Ada", "in": " 2025-11-30"})
    assert [event.pk for event in day.context["cl"].result_list] == november[1:]

    for text in ("yesterday", "2025-13", "2025-11-31", "9999-12", "0001-01-01-01"):
        page = admin_client.get(TRAIL, {"by": "Ada", "in": text})
        assert page.status_code == 200
        assert "Enter a day such as 2026-11-27, or a month" in page.content.decode(), text
        assert f'value="{text}"' in page.content.decode()
        assert not page.context["cl"].result_list


@pytest.mark.contract("33.6")
def test_a_file_is_refused_if_it_is_too_long_or_its_filter_is_wrong(
    admin_client, november, monkeypatch
):
    monkeypatch.setattr(admin, "MAX_EXPORTED", 1)

    long = admin_client.get(f"{TRAIL}export/?by=Ada&in=2025-11", follow=True)
    wrong = admin_client.get(f"{TRAIL}export/?at__gte=x")

    assert long.redirect_chain == [(f"{TRAIL}?by=Ada&in=2025-11", 302)]
    assert "A file has at most 1 events. Filter the list" in long.content.decode()
    assert (wrong.status_code, wrong.headers["Location"]) == (302, f"{TRAIL}?e=1")
    assert not AuditEvent.objects.filter(action="export").exists()
    day = admin_client.get(f"{TRAIL}export/?by=Ada&in=2025-11-30")
    assert day.getvalue().count(b"\n") == 1


@pytest.mark.contract("33.6")
def test_an_event_says_who_else_may_change_the_entry(admin_client):
    for name, role in {"grace": "Editors", "mo": "Moderators", "gone": "Editors"}.items():
        user = User.objects.create(username=name, is_staff=True, is_active=name != "gone")
        user.groups.add(Group.objects.get(name=role))
    new = AuditEvent.objects.create
    recall = new(actor_kind="staff", action="recall", object_kind="skill", object_name="x")
    case = {"object_kind": "case", "details": {"also": ["persona archivist"]}}
    others = [
        new(actor_kind="agent", object_kind="skill"),
        new(actor_kind="staff", object_kind="agent"),
    ]

    def panels(event):
        page = admin_client.get(f"{TRAIL}{event.pk}/change/")
        return [
            (panel["title"], [(str(user), role) for user, role, _ in panel["rows"]])
            for panel in page.context["panels"]
        ]

    people = [("clerk-0", "may do everything"), ("grace", "Editors")]
    assert panels(recall) == [("Staff who may change and recall skills", people)]
    of_case = new(actor_kind="staff", **case)
    assert panels(of_case) == [("Staff who may change and recall personas", people)]
    assert [panels(event) for event in others] == [[], []]


@pytest.mark.contract("33.6")
def test_so_is_that_of_an_operator():
    browser = OperatorBrowser(claim(AgentFactory(handle="crawler")))

    assert browser.get("/operator/agents/crawler/export").status_code == 200

    event = AuditEvent.objects.latest("pk")
    told = event.actor_name, event.action, event.object_name
    assert told == ("Ada Lovelace", "export", "crawler")


def test_a_request_that_records_nothing_asks_nothing_more(admin_client):
    with CaptureQueriesContext(connection) as queries:
        admin_client.get("/admin/catalogue/skill/")

    assert not any("audit_" in query["sql"] for query in queries)
