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
        parser.add_argument(
            "--after", type=int, metavar="ID", default=0, help="only events with a higher id"
        )
        parser.add_argument(
            "--by",
            metavar="NAME",
            help="only what this user, operator, agent or command did: a whole name, as in `actor`",
        )
        end = parser.add_mutually_exclusive_group()
        end.add_argument(
            "--until",
            metavar="TIME",
            help="before this time, such as 2026-12-01 for all of November",
        )
        end.add_argument("--follow", action="store_true", help="go on with new events")

    def handle(self, *, since, after, by, until, follow, **options):
        events = AuditEvent.objects.all()
        if since is not None:
            events = events.filter(at__gte=moment("--since", since))
        if until is not None:
            events = events.filter(at__lt=moment("--until", until))
        if by is not None:
            refuse_unknown(by)
            events = events.by(by)
        refuse_future_id(after)
        try:
            after = self.write_events(events, after)
            while follow:
                sleep(POLL)
                after = self.write_events(events, after)
        except KeyboardInterrupt:
            sys.exit(0)
        except BrokenPipeError:
            # The reader has gone, such as `head`. Python would complain at its exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def write_events(self, events, after):
        """Print what can be read now; returns the id up to which that was all."""
        last = AuditEvent.objects.last_settled_id()
        for event in events.filter(pk__lte=last).in_order(after):
            self.stdout.write(event.line)
        self.stdout.flush()
        return max(after, last)


def refuse_unknown(name):
    """Raises CommandError for a name that did nothing: no output would mean that of that time."""
    if not AuditEvent.objects.by(name).exists():
        raise CommandError(
            f'No event is by "{name}". Enter a whole user name, handle or command, or an '
            "operator's whole name, with the same capitals."
        )


def refuse_future_id(after):
    """Raises CommandError for an ID above the last one, which would hide the events to come."""
    last = AuditEvent.objects.last_id()
    if after > last:
        raise CommandError(
            f"No event has the id {after}; the last one is {last}. If you have restored a backup, "
            f"go on with --after {last}: new events repeat ids that your copy already has."
        )


def moment(option, text):
    try:
        time = parse_datetime(text)
    except ValueError:
        time = None
    if time is None:
        raise CommandError(
            f"{option} must be a time such as 2026-11-27T09:00:00Z, or a day such as 2026-11-27."
        )
    return time if time.tzinfo else time.replace(tzinfo=UTC)
