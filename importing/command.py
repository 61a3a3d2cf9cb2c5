from pathlib import Path

from django.core.management.base import CommandError
from tqdm import tqdm

from catalogue.models import REPOSITORY
from importing.reports import ImportReport
from marketplace.acting import ActingCommand

INTERRUPTED = 130  # the exit status of a program that Ctrl-C ended


class ImportCommand(ActingCommand):
    """The base of import_skills and import_personas."""

    as_one = True
    importer_class = None
    looks_for = ""

    def add_arguments(self, parser):
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder or a single file")
        parser.add_argument(
            "--draft", action="store_true", help="leave new entries for staff to publish"
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="refuse a file in which hidden text, a secret, an unreadable file or a long gap "
            "is found",
        )
        parser.add_argument(
            "--source",
            metavar="NAME",
            help="identify the files by this name and their path below PATH, so that an import "
            "from another folder updates the same entries (default: by their absolute path)",
        )

    def handle(self, *, paths, draft, source, strict, **options):
        for path in paths:
            if not Path(path).exists():
                raise CommandError(f"{path} does not exist")
        if source is not None and len(paths) > 1:
            raise CommandError("--source takes a single PATH: import several one at a time")
        if source is not None and f"{source}:".startswith(REPOSITORY):
            raise CommandError(
                "--source cannot be git or begin with git: sources own these entries"
            )
        report = ImportReport(self.write)
        importer = self.importer_class(report, draft=draft, source=source, strict=strict)
        files, count, kind = [], 0, f"{importer.model.kind}s"
        try:
            files = [file for path in paths for file in importer.find(path)]
            with tqdm(total=len(files), unit="file", disable=None) as bar:
                for number in importer.import_files(files):
                    count += number
                    bar.update(number)
        except KeyboardInterrupt:
            # The counts of the report may be those of a batch that is rolled back.
            self.stdout.write(
                f"{kind}: stopped after {count} of {len(files)} files. "
                "Run the same command again to import the rest."
            )
            raise SystemExit(INTERRUPTED) from None
        self.stdout.write(
            f"{kind}: {report.created} created, {report.updated} updated, "
            f"{report.unchanged} unchanged, {report.refused} refused{self.advice(report, draft)}"
        )
        if report.refused:
            raise SystemExit(1)

    def write(self, line):
        """Print a line above the progress bar."""
        with tqdm.external_write_mode():
            self.stdout.write(line)

    def advice(self, report, draft):
        """What to do next, if anything."""
        if report.refused:
            return ". Correct what was refused, and import it again."
        if draft and report.created:
            return ". Staff can publish the drafts in the admin."
        if not (report.created or report.updated or report.unchanged):
            return f". No {self.looks_for} was found."
        return ""
