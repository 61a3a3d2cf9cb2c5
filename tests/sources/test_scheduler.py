"""The scheduler of the clock process: its turn, due sources and jobs."""

import errno
import math
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.db.models.signals import post_save
from django.utils import timezone

from catalogue.models import Skill
from sources import fetching
from sources import scheduler as clock
from sources.heartbeat import Heartbeat
from sources.models import Clock, Source, SourceState
from sources.scheduler import CRASHED, JOBS, Scheduler
from submissions.models import SubmittedVersion
from tests.imports import receiving
from tests.sources.upstreams import LINK

ABOUT = "---\nname: {0}\ndescription: Does one thing well.\nlicense: MIT\n---\n\nDo it.\n"
pytestmark = pytest.mark.servers  # Each run starts a process.
LATER = timezone.now() + timedelta(days=1)


def skill_named(name):
    return {f"skills/{name}/SKILL.md": ABOUT.format(name).encode()}


@pytest.fixture
def source_of(transactional_db, upstream):
    """A source that follows the upstream. Nobody reviews it here, and it is not due."""

    def source_of(name="team", **fields):
        fields = {"url": upstream.url, "review": "git", "due_at": LATER} | fields
        return Source.objects.create(name=name, **fields)

    return source_of


@pytest.fixture
def scheduler_of():
    def scheduler_of(*names):
        lines = []
        scheduler = Scheduler(names, lines.append)
        scheduler.lines = lines
        return scheduler

    return scheduler_of


@pytest.mark.contract("30.21")
def test_one_run_syncs_all_sources_and_does_the_jobs(upstream, source_of, scheduler_of):
    commit = upstream.commit(skill_named("pdf-tables"))
    source, paused = source_of(), source_of("old", state=SourceState.PAUSED)
    scheduler = scheduler_of()
    scheduler.run_once()
    assert scheduler.lines[:5] == [
        f"team: {commit[:10]}: 1 published",
        "delete_rejected_submissions: Deleted the texts of 0 rejected submissions.",
        "delete_tokens_of_runs: Deleted 0 tokens of runs.",
        "clearsessions: done",
        "prune_audit: Deleted 0 events older than 365 days.",
    ]
    assert scheduler.lines[5].startswith("Next: team at ")
    assert Skill.objects.published().get().slug == "pdf-tables"
    source.refresh_from_db()
    paused.refresh_from_db()
    assert (source.state, source.commit, source.soon) == (SourceState.OK, commit, False)
    assert timedelta(minutes=59) < source.due_at - timezone.now() < timedelta(minutes=61)
    assert (paused.commit, paused.due_at) == ("", LATER)
    again = scheduler_of()
    again.run_once()
    assert again.lines[:1] == [f"team: {commit[:10]}: 1 unchanged"]
    assert again.lines[1].startswith("Next: ")


@pytest.mark.contract("30.21")
def test_named_sources_are_synced_alone(upstream, source_of, scheduler_of):
    upstream.commit(skill_named("pdf-tables"))
    source_of()
    source_of("other")
    scheduler = scheduler_of("team")
    scheduler.run_once()
    assert [line.partition(":")[0] for line in scheduler.lines] == ["team", "Next"]


@pytest.mark.contract("30.21")
def test_a_round_takes_what_is_due_or_asked_for(upstream, source_of, scheduler_of):
    upstream.commit(skill_named("pdf-tables"))
    source_of("later")
    source_of("due", due_at=timezone.now())
    source_of("asked", soon=True)
    source_of("paused", soon=True, due_at=timezone.now(), state=SourceState.PAUSED)
    scheduler = scheduler_of()
    scheduler.next_round = math.inf
    with Heartbeat("me") as heart:
        scheduler.poll(heart)
        scheduler.poll(heart)
        assert {line.partition(":")[0] for line in scheduler.lines} == {
            "asked",
            "due",
            "Next",
            *JOBS,
        }
        scheduler.lines.clear()
        heart.until = 0  # It has lost the turn.
        Source.objects.update(soon=True)
        scheduler.poll(heart)
        assert scheduler.lines == []


@pytest.mark.contract("30.20")
def test_a_source_whose_host_leaves_the_list_fails_within_a_round(
    settings, source_of, scheduler_of
):
    settings.SOURCE_HOSTS = []
    source, scheduler = source_of(), scheduler_of()
    with Heartbeat("me") as heart:
        scheduler.poll(heart)
        scheduler.poll(heart)
        scheduler.poll(heart)
    source.refresh_from_db()
    assert (source.state, source.reason[:26]) == ("failing", "SOURCE_HOSTS does not list")
    assert [line[:13] for line in scheduler.lines if "team" in line[:4]] == ["team: failing"]


@pytest.mark.contract("30.21")
def test_no_source_is_synced_again_within_the_minutes(upstream, source_of, scheduler_of):
    sources = [source_of("often", every_minutes=1), source_of("seldom", every_minutes=90)]
    scheduler = scheduler_of()
    scheduler.minutes = 15
    for source in sources:
        scheduler.sync(source)
        source.refresh_from_db()
    waits = [round((source.due_at - timezone.now()).total_seconds() / 60) for source in sources]
    assert waits == [15, 90]


@pytest.mark.contract("30.21")
def test_a_line_has_the_counts_of_a_run(upstream, source_of, scheduler_of):
    files = skill_named("pdf-tables") | skill_named("csv-cleaning")
    commit = upstream.commit(files | {"link": (b"pdf-tables", LINK)})
    source_of()
    scheduler = scheduler_of("team")
    scheduler.run_once()
    assert scheduler.lines[0] == f"team: {commit[:10]}: 2 published; findings: 1"


@pytest.mark.contract("30.13", "30.21")
def test_what_staff_change_during_other_runs_counts(upstream, source_of, scheduler_of):
    commit = upstream.commit(skill_named("pdf-tables"))
    changed, paused = source_of(ref="gone"), source_of("paused")
    Source.objects.get(pk=changed.pk).change(ref="main")
    Source.objects.get(pk=paused.pk).pause()
    scheduler = scheduler_of()
    for source in (changed, paused):
        scheduler.sync(source)
    assert scheduler.lines == [f"team: {commit[:10]}: 1 published", "paused: Staff have paused it."]


@pytest.mark.contract("30.22")
def test_a_run_ends_once_another_process_has_begun_one(upstream, source_of, scheduler_of):
    upstream.commit(skill_named("csv-cleaning") | skill_named("pdf-tables"))
    source, scheduler = source_of(), scheduler_of()

    def begin_another(**_):  # after this process was stopped for longer than its lease
        Source.objects.update(due_at=Now())

    with receiving(post_save, SubmittedVersion, begin_another):
        scheduler.sync(source)

    assert scheduler.lines == ["team: Another run begins instead."]
    assert Skill.objects.get().slug == "csv-cleaning"
    source.refresh_from_db()
    assert (source.commit, source.due_at < timezone.now()) == ("", True)


@pytest.mark.contract("30.22")
def test_one_process_has_the_turn_until_it_gives_it_back_or_its_lease_ends(transactional_db):
    with Heartbeat("one") as one:
        assert (one.has_turn, Clock.objects.acquire("one")) == (True, True)
        with Heartbeat("two") as two:
            assert not two.has_turn
            Clock.objects.update(leased_until=Now())
            two.beat()
            assert two.has_turn
            assert not Clock.objects.acquire("one")
        assert Clock.objects.acquire("one")
    assert Clock.objects.acquire("three")
    assert Clock.objects.count() == 1


@pytest.mark.contract("30.22")
def test_a_process_measures_each_round_with_or_without_the_turn(transactional_db, scheduler_of):
    scheduler, rounds = scheduler_of(), []
    scheduler.metrics = SimpleNamespace(measure=lambda *, is_round: rounds.append(is_round))
    with Heartbeat("me") as heart:
        scheduler.poll(heart)
        scheduler.poll(heart)
        scheduler.next_round = heart.until = 0
        scheduler.poll(heart)
    assert rounds == [True, False]


@pytest.mark.contract("30.22")
def test_processes_of_one_host_and_number_take_turns(transactional_db, scheduler_of):
    with Heartbeat(scheduler_of().holder) as one, Heartbeat(scheduler_of().holder) as two:
        assert (one.has_turn, two.has_turn) == (True, False)


@pytest.mark.contract("30.22")
def test_without_the_turn_a_command_asks_the_clock_process(source_of, scheduler_of):
    source, scheduler = source_of(), scheduler_of("team")
    with Heartbeat("elsewhere (process 7)"):
        scheduler.run_once()
    source.refresh_from_db()
    assert scheduler.lines == ["elsewhere (process 7) has the turn, and does it soon."]
    assert (source.soon, source.commit) == (True, "")


@pytest.mark.contract("30.22")
def test_it_waits_for_a_database_that_is_away(transactional_db, scheduler_of, monkeypatch):
    answers = [OperationalError("the server is starting up\nDETAIL: wait"), None, KeyboardInterrupt]

    def poll(_heart):
        if (answer := answers.pop(0)) is not None:
            raise answer

    scheduler = scheduler_of()
    monkeypatch.setattr(scheduler, "poll", poll)
    monkeypatch.setattr(clock, "sleep", lambda _seconds: None)
    with pytest.raises(KeyboardInterrupt):
        scheduler.run_forever()
    assert scheduler.lines == ["PostgreSQL does not respond: the server is starting up"]


@pytest.mark.contract("30.23")
def test_a_source_that_fails_or_crashes_stops_no_other(
    upstream, source_of, scheduler_of, monkeypatch
):
    upstream.commit(skill_named("pdf-tables"))
    sources = [source_of("gone", url="http://127.0.0.1:1/x"), source_of("new", ref="next")]
    sources += [source_of("crash"), source_of("team")]
    sync = clock.Sync

    def crash(source, files):
        if source.name == "crash":
            raise OperationalError("index row size 3000 exceeds maximum")  # The database is there.
        return sync(source, files)

    monkeypatch.setattr(clock, "Sync", crash)
    scheduler = scheduler_of()
    scheduler.run_once()
    for source in sources:
        source.refresh_from_db()
    assert [(source.state, source.reason) for source in sources] == [
        ("failing", "SOURCE_HOSTS does not list 127.0.0.1:1."),
        ("failing", "The branch or tag next is gone."),
        ("failing", CRASHED),
        ("ok", ""),
    ]
    assert "crash: failing: The run crashed; the log of sync_sources says more." in scheduler.lines


@pytest.mark.contract("30.18", "30.23")
def test_a_full_disk_of_the_clock_process_is_said(upstream, source_of, scheduler_of, monkeypatch):
    def fill(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching.tempfile, "TemporaryDirectory", fill)
    scheduler, source = scheduler_of(), source_of()
    scheduler.run_once()
    source.refresh_from_db()
    assert source.reason == "A temporary file cannot be written: No space left on device."


@pytest.mark.contract("30.23")
def test_a_job_that_crashes_is_done_again_the_next_day(transactional_db, scheduler_of, monkeypatch):
    monkeypatch.setitem(JOBS, "no_such_command", timedelta(days=1))
    scheduler = scheduler_of()
    scheduler.run_once()
    assert "no_such_command: crashed" in scheduler.lines
    scheduler = scheduler_of()
    scheduler.run_once()
    assert scheduler.lines == []
