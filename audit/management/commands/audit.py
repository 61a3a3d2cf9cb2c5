import os
import sys
from datetime import UTC
from time import sleep

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime

from audit.models import AuditEvent

POLL = 1  # seconds


class Command(BaseCommand):
    help = "Print the audit trail, one JSON object per line, in order of id."

    def add_arguments(self, parser):
        parser.add_argument(
            "--since", metavar="TIME", help="from this time on, such as 2026-11-27T09:00:00Z"
        )
        parser.add_argument("--until", metavar="TIME", help="before this time")
        parser.add_argument("--actor", metavar="NAME", help="only what this actor did")
        parser.add_argument(
            "--after", type=int, metavar="ID", default=0, help="only events with a higher id"
        )
        parser.add_argument("--follow", action="store_true", help="go on with new events")

    def handle(self, *, after, follow, **options):
        wanted = wanted_of(**options)
        refuse_future_id(after)
        try:
            after = self.write_events(after, wanted)
            while follow:
                sleep(POLL)
                after = self.write_events(after, wanted)
        except KeyboardInterrupt:
            sys.exit(0)
        except BrokenPipeError:
            # The reader has gone, such as `head`. Python would complain at its exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def write_events(self, after, wanted):
        """Print what can be read now; returns the id up to which that was all."""
        last = AuditEvent.objects.last_settled_id()
        for event in AuditEvent.objects.read(after, last, **wanted):
            self.stdout.write(event.line)
        self.stdout.flush()
        return max(after, last)


def refuse_future_id(after):
    """Raises CommandError for an ID above the last one, which would hide the events to come."""
    last = AuditEvent.objects.last_id()
    if after > last:
        raise CommandError(
            f"No event has the id {after}; the last one is {last}. If you have restored a backup, "
            f"go on with --after {last}: new events repeat ids that your copy already has."
        )


def wanted_of(*, since, until, actor, **_options):
    """The conditions on events. Raises CommandError."""
    wanted = {
        "at__gte": moment("--since", since),
        "at__lt": moment("--until", until),
        "actor_name": actor,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def moment(option, text):
    if text is None:
        return None
    try:
        time = parse_datetime(text)
    except ValueError:
        time = None
    if time is None:
        raise CommandError(f"{option} must be a time such as 2026-11-27T09:00:00Z.")
    return time if time.tzinfo else time.replace(tzinfo=UTC)
