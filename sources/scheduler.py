"""The clock process: it syncs the sources that are due, and runs the regular jobs (contract 30)."""

import io
import logging
import os
import secrets
import socket
from datetime import datetime, timedelta
from time import monotonic, sleep

from django.core.management import call_command
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django.db.models import Q
from django.db.models.functions import Greatest, Now
from django.utils import timezone

from marketplace.acting import acting
from marketplace.features import has_connectors
from sources.exceptions import DiskFails, Interrupted, RefIsGone, SourceFails
from sources.fetching import Fetched, fetched
from sources.heartbeat import Heartbeat
from sources.models import Clock, Source, SourceState
from sources.syncing import Sync

# Seconds until it looks again for sources that are due, for jobs, and for a lost database.
POLL, ROUND, RETRY = 2, 60, 5
DAY = timedelta(days=1)
# The regular jobs, and the time between two runs.
JOBS = {
    **dict.fromkeys(("delete_rejected_submissions", "delete_tokens_of_runs", "clearsessions"), DAY),
    "prune_audit": timedelta(hours=1),
    **({"prune_clients": timedelta(hours=1)} if has_connectors() else {}),
}
CRASHED = "The run crashed; the log of sync_sources says more."
logger = logging.getLogger(__name__)


class Scheduler:
    """Syncs sources and runs the regular jobs while its process has the turn.

    It logs each line with `write`. With `names`, it syncs these sources alone; without, all of
    them, and it runs the jobs. It syncs no source again within `minutes`, unless staff request it.
    It keeps the ClockMetrics true, with or without the turn.
    """

    def __init__(self, names, write, minutes=1, metrics=None):
        self.write, self.minutes, self.metrics = write, minutes, metrics
        self.sources = Source.objects.exclude(state=SourceState.PAUSED).order_by("due_at")
        self.jobs = {} if names else JOBS
        if names:
            self.sources = self.sources.filter(name__in=names)
        self.next_round = 0
        # Two containers may have one host name, and each of their processes the number 1.
        process = f"process {os.getpid()}, {secrets.token_hex(4)}"
        self.holder = f"{socket.gethostname()} ({process})"

    def run_once(self):
        """Sync all of the sources, due or not, and run the jobs that are due."""
        with Heartbeat(self.holder) as heart:
            if not heart.has_turn:
                self.sources.update(soon=True)
                holder = Clock.objects.values_list("holder", flat=True).get()
                self.write(f"{holder} has the turn, and does it soon.")
                return
            self.run_round(heart, self.sources)

    def run_forever(self):
        """Sync what is due or requested, and run the jobs, until a signal ends it."""
        with Heartbeat(self.holder) as heart, acting("system", "clock"):
            while True:
                close_old_connections()
                try:
                    self.poll(heart)
                    sleep(POLL)
                except (OperationalError, InterfaceError) as error:
                    self.write(f"PostgreSQL does not respond: {first_line(error)}")
                    connection.close()
                    sleep(RETRY)

    def poll(self, heart):
        due = list(self.sources.filter(IS_DUE)) if heart.has_turn else []
        if due or monotonic() >= self.next_round:
            self.run_round(heart, due)
            self.next_round = monotonic() + ROUND

    def run_round(self, heart, sources):
        """Sync these and run the jobs that are due. Once the turn is lost, nothing else begins."""
        self.request_refused()
        done = [self.sync(source) for source in sources if heart.has_turn]
        done += [self.run_job(job) for job in self.due_jobs() if heart.has_turn]
        if self.metrics:
            self.metrics.measure(is_round=heart.has_turn)
        if done:
            self.write(f"Next: {self.next_turns()}.")

    def request_refused(self):
        """Let the next poll say which sources have hosts that a deployer allows no longer."""
        for source in self.sources.filter(state=SourceState.OK):
            if not source.is_allowed:
                source.request_run()

    def sync(self, source):
        rows = Source.objects.filter(pk=source.pk)
        # It stays due until the run ends, so that the next process repeats a run that was killed.
        rows.update(soon=False, due_at=Now())
        source.refresh_from_db()  # Other runs came first, and staff may have changed it meanwhile.
        run = rows.filter(due_at=source.due_at)  # empty once another process has begun one
        try:
            sync_or_fail(source)
            outcome = outcome_of(source)
        except Interrupted as error:
            outcome = str(error)
        minutes = Greatest("every_minutes", self.minutes)
        run.update(due_at=Now() + minutes * timedelta(minutes=1))
        self.write(f"{source}: {outcome}")

    # Regular jobs

    def due_jobs(self):
        ended = Clock.objects.values_list("jobs", flat=True).get()
        now = timezone.now()
        return [name for name, every in self.jobs.items() if ended_at(ended, name) + every <= now]

    def run_job(self, job):
        output = io.StringIO()
        try:
            call_command(job, stdout=output)
        except Exception:
            if not connection.is_usable():
                raise
            logger.exception("The job %s crashed.", job)
            output.write("crashed")
        clock = Clock.objects.get()
        clock.jobs[job] = timezone.now().isoformat()
        clock.save(update_fields=["jobs"])
        self.write(f"{job}: {output.getvalue().strip() or 'done'}")

    def next_turns(self):
        """The next time of each source and each job, in UTC and in order of time."""
        ended = Clock.objects.values_list("jobs", flat=True).get()
        turns = [(source.due_at, source.name) for source in self.sources.all()]
        turns += [(ended_at(ended, name) + every, name) for name, every in self.jobs.items()]
        return ", ".join(f"{name} at {when:%a %H:%M}" for when, name in sorted(turns)) or "nothing"


IS_DUE = Q(soon=True) | Q(due_at__lte=Now())


def sync_or_fail(source):
    """Sync a source, or record that the run crashed. Raises Interrupted."""
    try:
        sync_source(source)
    except Interrupted:
        raise
    except Exception:
        if not connection.is_usable():
            raise
        logger.exception("The run of the source %s crashed.", source)
        source.fail(CRASHED)


def sync_source(source):
    """Fetch a source, apply its changes to the catalogue, and record the outcome on it.

    Raises Interrupted.
    """
    if source.is_paused:
        raise Interrupted("Staff have paused it.")
    try:
        with fetched(source, source.commit) as files:
            Sync(source, files).run()
    except RefIsGone:
        Sync(source, Fetched(source.commit)).run()
    except SourceFails as error:
        source.fail(str(error))
    except OSError as error:
        logger.exception("The run of the source %s met a disk that fails.", source)
        source.fail(str(DiskFails(error)))


def outcome_of(source):
    source.refresh_from_db()
    if source.state == SourceState.FAILING:
        return f"failing: {source.reason}"
    number = source.counts["findings"]
    findings = f"; findings: {number:,}" if number else ""
    return f"{source.commit[:10]}: {source.counts_in_words or 'nothing to do'}{findings}"


def ended_at(ended, job):
    return datetime.fromisoformat(ended.get(job, "2000-01-01T00:00:00+00:00"))


def first_line(error):
    return str(error).strip().partition("\n")[0]
