import signal
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from marketplace.acting import ActingCommand
from sources.clock_metrics import ClockMetrics
from sources.models import Source, SourceState
from sources.scheduler import Scheduler


class Command(ActingCommand):
    help = (
        "Sync sources and do the regular jobs, as the clock process with --every. Without names, "
        "all sources that are not paused."
    )

    def add_arguments(self, parser):
        parser.add_argument("names", nargs="*", metavar="NAME", help="the name of a source")
        parser.add_argument(
            "--every",
            type=int,
            metavar="MINUTES",
            help="keep running; sync no source again within so many minutes, unless staff ask",
        )

    def handle(self, *, names, every, **options):
        if every is not None and not 1 <= every <= 1440:
            raise CommandError("--every must be a number of minutes from 1 to 1440.")
        check_names(names)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        if every is None:
            Scheduler(names, self.write).run_once()
            return
        scheduler = Scheduler(names, self.write, every, served_metrics())
        self.write(f"The clock process is {scheduler.holder}.")
        try:
            scheduler.run_forever()
        except KeyboardInterrupt:
            sys.exit(0)

    def write(self, line):
        self.stdout.write(line)
        self.stdout.flush()


def served_metrics():
    if settings.CLOCK_METRICS_ADDRESS is None:
        return None
    try:
        return ClockMetrics(*settings.CLOCK_METRICS_ADDRESS)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error


def check_names(names):
    states = dict(Source.objects.filter(name__in=names).values_list("name", "state"))
    for name in names:
        if name not in states:
            raise CommandError(f"No source is called {name}.")
        if states[name] == SourceState.PAUSED:
            raise CommandError(f"{name} is paused.")
