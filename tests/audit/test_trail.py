"""The audit trail: its events never change, and a reader passes none by (contract 33)"""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from audit.models import AuditDraft, AuditEvent
from marketplace.acting import acting

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


def record(action, **options):
    AuditEvent.objects.record(action, kind="skill", **options)


def lines(*arguments):
    output = StringIO()
    call_command("audit", *arguments, stdout=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def actions(*arguments):
    return [line["action"] for line in lines(*arguments)]


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


@pytest.mark.contract("33.9")
@pytest.mark.django_db
def test_it_is_read_from_a_time_or_an_id_on():
    for number in range(3):
        at = timezone.now() - timedelta(hours=3 - number)
        AuditEvent.objects.create(action=f"act {number}", at=at)
    first, second, _ = lines()

    assert actions("--after", str(first["id"])) == ["act 1", "act 2"]
    assert actions("--since", second["at"].replace("Z", "")) == ["act 1", "act 2"]
    assert actions("--since", second["at"], "--after", str(second["id"])) == ["act 2"]
    later = lines()[-1]["id"] + 1
    with pytest.raises(CommandError, match=f"No event has the id {later};"):
        lines("--after", str(later))
    for option in ("--since", "--until"):
        for text in ("yesterday", "2026-13-01T00:00:00Z"):
            with pytest.raises(CommandError, match=f"{option} must be a time"):
                lines(option, text)
    assert AuditEvent.objects.count() == 3


@pytest.mark.contract("33.9")
@pytest.mark.django_db
def test_it_is_read_for_one_actor_and_up_to_a_time():
    for name, month in [("Ada", 10), ("Ada", 11), ("Ada L.", 11), ("Ada", 12)]:
        at = datetime(2025, month, 1, tzinfo=UTC)
        AuditEvent.objects.create(action=f"{name} {month}", at=at, actor_name=name)

    november = ["--since", "2025-11-01", "--until", "2025-12-01"]
    assert actions(*november) == ["Ada 11", "Ada L. 11"]
    assert actions(*november, "--by", "Ada") == ["Ada 11"]
    assert actions("--since", "2026-01-01", "--by", "Ada") == []
    with pytest.raises(CommandError, match='No event is by "ada"'):
        lines("--by", "ada")
    with pytest.raises(CommandError, match="not allowed with"):
        lines("--follow", "--until", "2025-12-01")


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


class SlowWriter(Thread):
    """A transaction of its own, which records events when it is told to, and then ends."""

    def __init__(self, action):
        super().__init__()
        self.action, self.begun, self.end, self.is_kept = action, Event(), Event(), True

    def run(self):
        try:
            with transaction.atomic():
                record(self.action)
                self.begun.set()
                self.end.wait(60)
                transaction.set_rollback(not self.is_kept)
        finally:
            connection.close()

    def begin(self):
        self.start()
        assert self.begun.wait(60)
        return self

    def finish(self, *, is_kept=True):
        self.is_kept = is_kept
        self.end.set()
        self.join()


@pytest.mark.contract("33.9")
@pytest.mark.django_db(transaction=True)
def test_no_event_is_printed_before_those_that_may_come_below_it():
    record("first")
    slow = SlowWriter("slow").begin()
    lost = SlowWriter("lost").begin()
    record("later")

    assert actions() == ["first"]
    lost.finish(is_kept=False)
    assert actions() == ["first"]
    slow.finish()
    assert actions() == ["first", "slow", "later"]
    # The id of the lost one stays free.
    ids = [line["id"] for line in lines()]
    assert [later - earlier for earlier, later in pairwise(ids)] == [1, 2]


@pytest.mark.contract("33.9")
@pytest.mark.django_db(transaction=True)
def test_a_reader_that_goes_on_after_the_last_id_skips_nothing():
    """Six threads record 240 events, and a third of them is rolled back."""
    done, read, after = Event(), [], 0

    def write(number):
        for turn in range(40):
            with transaction.atomic():
                record(f"{number} {turn}")
                with transaction.atomic():
                    record("undone")
                    transaction.set_rollback(True)
                transaction.set_rollback(turn % 3 == 0)
        connection.close()

    writers = [Thread(target=write, args=[number]) for number in range(6)]
    for writer in writers:
        writer.start()
    while not done.is_set():
        if not any(writer.is_alive() for writer in writers):
            done.set()  # One more round sees all of them.
        last = AuditEvent.objects.last_settled_id()
        events = AuditEvent.objects.filter(pk__lte=last)
        read += [event.pk for event in events.in_order(after)]
        after = last

    assert read == list(AuditEvent.objects.order_by("pk").values_list("pk", flat=True))
    assert len(read) == 6 * 26
