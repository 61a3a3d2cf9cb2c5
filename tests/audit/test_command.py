"""`manage.py audit`: a reader passes no event by (contract 33.9)"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from threading import Event, Thread

import pytest
from django.core.management import CommandError
from django.db import connection, transaction
from django.utils import timezone

from audit.models import AuditEvent
from tests.audit.trail import actions, lines, record


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
