from itertools import chain
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm


class ImportCommand(BaseCommand):
    """What import_skills and import_personas do alike."""

    importer_class = None
    kind = ""  # plural, as the summary says it

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
        importer = self.importer_class(draft=draft, source=source, tell=self.stdout.write)
        found = chain.from_iterable(importer.find(path) for path in paths)
        # An interrupted import keeps what it has done, and running it again goes over the rest.
        # Without a terminal there is no bar.
        with tqdm(unit="file", disable=None) as bar:
            for number in importer.import_files(found):
                bar.update(number)
        report = importer.report
        self.stdout.write(
            f"{self.kind}: {report.created} created, {report.updated} updated, "
            f"{report.unchanged} unchanged, {report.refused} refused"
        )
        if report.refused:
            raise SystemExit(1)
