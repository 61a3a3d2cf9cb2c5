"""The clock process: it syncs the sources that are due, and does the regular jobs."""

import io
import logging
import os
import socket
from datetime import datetime, timedelta
from time import monotonic, sleep

from django.core.management import call_command
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from sources import metrics
from sources.exceptions import RefIsGone, SourceFails
from sources.fetching import fetched, remove_leftovers
from sources.models import Clock, Source, SourceState
from sources.syncing import NoRef, Sync
from sources.turns import Heartbeat

LOOK, RETRY = 2, 5  # seconds between two looks at what staff ask for; without a database
DAY = timedelta(days=1)
# The commands that a deployment runs every night.
JOBS = {"delete_rejected_submissions": DAY, "clearsessions": DAY}
CRASHED = "The run crashed; the log of sync_sources says more."
logger = logging.getLogger(__name__)


class Rounds:
    """What the process does while it has the turn. `write` gets each line.

    `names` are those of the sources, or none for all of them and the regular jobs.
    """

    def __init__(self, names, write):
        self.write = write
        self.sources = Source.objects.exclude(state=SourceState.PAUSED).order_by("due_at")
        self.jobs = {} if names else JOBS
        if names:
            self.sources = self.sources.filter(name__in=names)
        self.holder = f"{socket.gethostname()} (process {os.getpid()})"

    def once(self):
        """Sync all of the sources, due or not, and do the jobs that are due."""
        with Heartbeat(self.holder) as heart:
            if not heart.has_turn:
                self.sources.update(soon=True)
                holder = Clock.objects.values_list("holder", flat=True).get()
                self.write(f"{holder} has the turn, and does it soon.")
                return
            self.round(heart, self.sources)

    def for_ever(self, minutes):
        """Do a round every so often, and at once what staff ask for, until a signal ends it."""
        remove_leftovers()
        with Heartbeat(self.holder) as heart:
            next_round = 0
            while True:
                close_old_connections()
                try:
                    if heart.has_turn and monotonic() >= next_round:
                        self.round(heart, self.sources.filter(IS_DUE))
                        next_round = monotonic() + minutes * 60
                    elif heart.has_turn:
                        self.sync_each(heart, self.sources.filter(soon=True))
                    sleep(LOOK)
                except (OperationalError, InterfaceError) as error:
                    self.write(f"PostgreSQL does not respond: {first_line(error)}")
                    connection.close()
                    sleep(RETRY)

    def round(self, heart, sources):
        has_synced = self.sync_each(heart, sources)
        has_worked = [self.do(job) for job in self.due_jobs() if heart.has_turn]
        metrics.note_round(Source.objects.all())
        if has_synced or has_worked:
            self.write(f"Next: {self.next_turns()}.")

    def sync_each(self, heart, sources):
        """Returns how many were synced. A process that has lost the turn begins no other."""
        return len([self.sync(source) for source in sources if heart.has_turn])

    def sync(self, source):
        rows = Source.objects.filter(pk=source.pk)
        # Due until it ends: a process that is killed leaves it to the next one.
        rows.update(soon=False, due_at=Now())
        try:
            run(source)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("The run of the source %s crashed.", source)
            source.fail(CRASHED)
        rows.update(due_at=Now() + F("every_minutes") * timedelta(minutes=1))
        self.write(f"{source}: {outcome_of(source)}")

    # Regular jobs

    def due_jobs(self):
        ended = Clock.objects.values_list("jobs", flat=True).get()
        now = timezone.now()
        return [name for name, every in self.jobs.items() if ended_at(ended, name) + every <= now]

    def do(self, job):
        output = io.StringIO()
        try:
            call_command(job, stdout=output)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception("The job %s crashed.", job)
            output.write("crashed")
        clock = Clock.objects.get()
        clock.jobs[job] = timezone.now().isoformat()
        clock.save(update_fields=["jobs"])
        self.write(f"{job}: {output.getvalue().strip() or 'done'}")

    def next_turns(self):
        """When each source and each job is due next (UTC), in order of time."""
        ended = Clock.objects.values_list("jobs", flat=True).get()
        turns = [(source.due_at, source.name) for source in self.sources.all()]
        turns += [(ended_at(ended, name) + every, name) for name, every in self.jobs.items()]
        return ", ".join(f"{name} at {when:%a %H:%M}" for when, name in sorted(turns)) or "nothing"


IS_DUE = Q(soon=True) | Q(due_at__lte=Now())


def run(source):
    """Bring the catalogue in step with a source, and record on it what came of that."""
    try:
        with fetched(source, source.commit) as files:
            Sync(source, files).run()
    except RefIsGone:
        Sync(source, NoRef(source.commit)).run()
    except SourceFails as error:
        source.fail(str(error))


def outcome_of(source):
    source.refresh_from_db()
    if source.state == SourceState.FAILING:
        return f"failing: {source.reason}"
    counts = ", ".join(f"{number:,} {name}" for name, number in source.counts.items() if number)
    return f"{source.commit[:10]}: {counts or 'nothing to do'}"


def ended_at(ended, job):
    return datetime.fromisoformat(ended.get(job, "2000-01-01T00:00:00+00:00"))


def first_line(error):
    return str(error).strip().partition("\n")[0]
