"""The audit trail: its events never change, and a reader passes none by (contract 33)"""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from audit.models import AuditDraft, AuditEvent
from marketplace.acting import acting
from tests.audit.trail import record

STATEMENTS = [
    "UPDATE audit_auditevent SET action = 'nothing'",
    "DELETE FROM audit_auditevent",
    "TRUNCATE audit_auditevent",
]

SLOW_DELETE = """
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.1); RETURN OLD; END $$;
    CREATE TRIGGER slow BEFORE DELETE ON audit_auditevent
        FOR EACH ROW EXECUTE FUNCTION slow()
"""


@pytest.mark.contract("33.6")
@pytest.mark.django_db
@pytest.mark.parametrize("statement", STATEMENTS)
def test_postgresql_refuses_every_change(statement):
    record("publish")

    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        connection.cursor().execute(statement)

    assert AuditEvent.objects.get().action == "publish"


@pytest.mark.contract("33.7")
@pytest.mark.django_db
def test_old_events_are_deleted_by_prune_audit_alone(settings):
    for days in (1, 9, 11):
        AuditEvent.objects.create(action=f"{days} days", at=Now() - timedelta(days=days))
    settings.AUDIT_DAYS = 0
    call_command("prune_audit", stdout=StringIO())
    assert AuditEvent.objects.count() == 3

    settings.AUDIT_DAYS = 10
    for _ in range(2):
        call_command("prune_audit", stdout=StringIO())

    assert [(event.action, event.details) for event in AuditEvent.objects.all()] == [
        ("prune_audit", {"deleted": 1, "days": 10}),
        ("9 days", {}),
        ("1 days", {}),
    ]
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEvent.objects.all().delete()


@pytest.mark.contract("33.7")
@pytest.mark.django_db
def test_years_of_events_take_longer_than_a_statement_may():
    AuditEvent.objects.create(action="old", at=Now() - timedelta(days=400))
    with connection.cursor() as cursor:
        cursor.execute(SLOW_DELETE)
        cursor.execute("SET LOCAL statement_timeout = '20ms'")

    call_command("prune_audit", stdout=StringIO())

    assert [event.action for event in AuditEvent.objects.all()] == ["prune_audit"]


@pytest.mark.contract("33.1", "33.2")
@pytest.mark.django_db
def test_a_line_has_everything_masked_and_escaped():
    secret = f"mkt_agent_{'4fKd' * 9}"
    at = timezone.now().replace(microsecond=1000)
    AuditEvent.objects.create(
        at=at,
        actor_kind="staff",
        actor_name=f"\x1b[2J\x7f {secret}",
        action="change",
        object_kind="skill",
        object_name="pdf\u202e-tables",
        address="192.0.2.7",
        request_id="0" * 32,
        details={"names": [secret], secret: {"message": secret}},
    )
    output = StringIO()

    call_command("audit", stdout=output)

    [text] = output.getvalue().splitlines()
    assert text.isascii()
    assert text.isprintable()
    masked = "mkt_agent_[masked]"
    assert json.loads(text) == {
        "id": AuditEvent.objects.get().pk,
        "at": f"{at:%FT%T}.001Z",
        "actor": {"kind": "staff", "name": f"\x1b[2J\x7f {masked}"},
        "action": "change",
        "object": {"kind": "skill", "name": "pdf\u202e-tables"},
        "address": "192.0.2.7",
        "requestId": "0" * 32,
        "details": {"names": [masked], masked: {"message": masked}},
    }


@pytest.mark.contract("33.3")
@pytest.mark.django_db
def test_an_act_of_several_transactions_is_one_event():
    with acting("staff", "ada", as_one=True):
        for number in range(120):
            with transaction.atomic():
                record("withdraw", names=[f"skill-{number}"], message="Withdrawn.")
        with transaction.atomic():
            AuditEvent.objects.record("withdraw", kind="case", names=["spam"], message="Resolved.")
        with transaction.atomic():
            record("withdraw", names=["rolled-back"])
            transaction.set_rollback(True)
        assert not AuditEvent.objects.exists()

    event = AuditEvent.objects.get()
    assert (event.actor_kind, event.actor_name, event.object_kind) == ("staff", "ada", "skill")
    assert event.object_name == ""
    assert event.details == {
        "count": 120,
        "names": [f"skill-{number}" for number in range(100)],
        "also": ["case spam"],
        "message": "Withdrawn. Resolved.",
    }
    assert not AuditDraft.objects.exists()


@pytest.mark.django_db
def test_a_number_without_names_stays():
    for count in (1, 2):
        record("delete", count=count)

    assert [event.details for event in AuditEvent.objects.all()] == [{"count": 2}, {"count": 1}]


@pytest.mark.contract("33.3")
@pytest.mark.django_db
def test_an_act_that_is_rolled_back_is_none():
    with acting("staff", "ada", as_one=True), transaction.atomic():
        record("withdraw", names=["pdf-tables"])
        transaction.set_rollback(True)

    assert not AuditEvent.objects.exists()


@pytest.mark.contract("33.3")
@pytest.mark.django_db
def test_prune_audit_completes_what_a_killed_process_has_begun():
    acts = []
    for name in ("killed", "running"):
        act = acting("staff", "ada", as_one=True)
        act.__enter__()
        record("withdraw", names=[name])
        acts.append(act)
    killed = AuditDraft.objects.get(details__names=["killed"])
    AuditDraft.objects.filter(pk=killed.pk).update(at=Now() - timedelta(hours=2))

    call_command("prune_audit", stdout=StringIO())

    assert AuditEvent.objects.get().object_name == "killed"
    assert AuditDraft.objects.get().details["names"] == ["running"]
    for act in reversed(acts):
        act.__exit__(None, None, None)
