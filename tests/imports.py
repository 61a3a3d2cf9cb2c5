"""Files to import, and import commands run as from a shell."""

import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO

from django.core.management import call_command

from demo.postgres import CHECKOUT
from tests.live import LiveServer

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
DESCRIPTION = "description: Does one thing well."
FINDING = re.compile("(?!note|refused|skills|personas)[a-z-]+: ")
AFTER_REFUSALS = ". Correct what was refused, and import it again."


@dataclass
class ImportOutcome:
    """The exit status of an import command, the lines it printed, and those of findings."""

    status: int
    lines: list
    findings: list

    @property
    def summary(self):
        """The counts of the last line, without its advice."""
        return self.lines[-1].partition(". ")[0]

    def begins(self, word):
        return [
            line.removeprefix(f"{word}: ") for line in self.lines if line.startswith(f"{word}:")
        ]

    def found(self, code):
        """The findings of this code, without it."""
        start = f"{code}: "
        return [line.removeprefix(start) for line in self.findings if line.startswith(start)]

    @property
    def notes(self):
        return self.begins("note")

    @property
    def refused(self):
        return self.begins("refused")


def run(command, *paths, **options):
    """Run an import command; a CommandError reaches the caller."""
    out, status = StringIO(), 0
    try:
        call_command(command, *map(str, paths), stdout=out, **options)
    except SystemExit as end:
        status = end.code
    printed = out.getvalue().splitlines()
    findings = [line for line in printed if FINDING.match(line)]
    return ImportOutcome(status, [line for line in printed if line not in findings], findings)


def import_skills(*paths, **options):
    return run("import_skills", *paths, **options)


def import_personas(*paths, **options):
    return run("import_personas", *paths, **options)


@contextmanager
def receiving(signal, model, receiver):
    """Call the receiver at a model's signal, in the middle of importing one file."""
    signal.connect(receiver, sender=model, weak=False)
    try:
        yield
    finally:
        signal.disconnect(receiver, sender=model)


def manage(*arguments):
    """Run manage.py as a separate process on the test database; it sees committed rows only."""
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=CHECKOUT,
        env=LiveServer(None, {}).environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def write(path, data):
    """A file with exactly these characters or bytes, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def skill(folder, *lines, body="Do it."):
    """A SKILL.md with these lines of frontmatter, or with the folder's name; and a description."""
    lines = lines or [f"name: {folder.name}"]
    if not any(line.lower().startswith("description") for line in lines):
        lines = [*lines, DESCRIPTION]
    return markdown(folder / "SKILL.md", lines, body)


def persona(path, *lines, body="You do it."):
    """A persona's file with these lines of frontmatter, or with the file's name."""
    return markdown(path, lines or [f"name: {path.stem}"], body)


def markdown(path, lines, body):
    return write(path, "\n".join(["---", *lines, "---", "", body, ""]))


def served(client, slug, kind=SKILLS):
    """The API's response for an entry."""
    response = client.get(f"{kind}/{slug}")
    assert response.status_code == 200, f"{slug}: {response.content}"
    return response.json()


def slugs(client, kind=SKILLS):
    """The slugs of everything that the API lists, in alphabetical order."""
    response = client.get(kind, {"limit": "100"})
    assert response.status_code == 200, response.content
    return sorted(row["slug"] for row in response.json()["results"])


def paths(client, slug="pdf"):
    """The paths of a skill's files, as the API lists them."""
    return [file["path"] for file in served(client, slug)["files"]]
