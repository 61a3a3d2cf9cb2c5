from itertools import chain
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from catalogue.importing.base import Report


class ImportCommand(BaseCommand):
    """The base of import_skills and import_personas."""

    importer_class = None
    kind = ""  # in the plural, for the summary

    def add_arguments(self, parser):
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder or a single file")
        parser.add_argument(
            "--draft", action="store_true", help="do not publish what is new; staff will"
        )
        parser.add_argument(
            "--source",
            metavar="NAME",
            help="know the files by this name and their path below PATH, so that an import from "
            "another folder updates the same entries (default: by where they lie)",
        )

    def handle(self, *, paths, draft, source, **options):
        for path in paths:
            if not Path(path).exists():
                raise CommandError(f"{path} does not exist")
        if source is not None and len(paths) > 1:
            raise CommandError("--source names the files of one PATH; give them one at a time")
        report = Report(self.stdout.write)
        importer = self.importer_class(report, draft=draft, source=source)
        found = chain.from_iterable(importer.find(path) for path in paths)
        with tqdm(unit="file", disable=None) as bar:
            for number in importer.import_files(found):
                bar.update(number)
        self.stdout.write(
            f"{self.kind}: {report.created} created, {report.updated} updated, "
            f"{report.unchanged} unchanged, {report.refused} refused"
        )
        if report.refused:
            raise SystemExit(1)
