"""Superusers read the audit trail in the admin, and exports are events, too (contract 33.6)"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

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

    assert clerk.get(TRAIL).status_code == 403
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
