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
        if source and len(paths) > 1:
            raise CommandError("--source names the files of one PATH; give them one at a time")
        importer = self.importer_class(draft=draft, source=source)
        files = [found for path in paths for found in importer.find(path)]
        # Each file is a transaction of its own: an interrupted import keeps what it has done,
        # and running it again goes over the rest. Without a terminal there is no bar.
        for root, path in tqdm(files, unit="file", disable=None):
            importer.import_file(root, path)
        report = importer.report
        for line in report.notes:
            self.stdout.write(f"note: {line}")
        for line in report.refused:
            self.stdout.write(f"refused: {line}")
        self.stdout.write(
            f"{self.kind}: {report.created} created, {report.updated} updated, "
            f"{report.unchanged} unchanged, {len(report.refused)} refused"
        )
        if report.refused:
            raise SystemExit(1)
