import shutil
from itertools import count
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from catalogue.models import Skill
from sources.models import Source
from sources.syncing import Sync
from submissions.models import Submission
from submissions.publishing import Approval, preview, publish
from tests.imports import markdown, write

ABOUT = ["description: Does one thing well.", "license: MIT"]


class Repository:
    """The files of a ref, in a folder, and the source that follows it."""

    def __init__(self, folder, **options):
        self.folder, self.numbers = folder, count(1)
        values = {"name": "team", "url": "https://git.example.com/team.git", "review": "git"}
        self.source = Source.objects.create(**values | options)

    def skill(self, path, text="Do it.", **files):
        """A skill in a folder, with other files; the names have `_` for `.`."""
        folder = self.folder / path
        name = folder.name if path else "root-skill"
        markdown(folder / "SKILL.md", [f"name: {name}", *ABOUT], text)
        for file, data in files.items():
            write(folder / file.replace("_", "."), data)

    def persona(self, path, text="You do it.", *lines):
        file = self.folder / path
        markdown(file, [f"name: {file.stem}", *ABOUT, *lines], text)

    def remove(self, path):
        shutil.rmtree(self.folder / path)

    def sync(self, *, findings=(), rewritten=False, **options):
        """Run once over the folder, as a new commit; returns the source as the run left it."""
        if options:
            Source.objects.filter(pk=self.source.pk).update(**options)
        fetched = SimpleNamespace(
            commit=f"{next(self.numbers):040x}",
            rewritten=rewritten,
            folder=self.folder,
            findings=list(findings),
        )
        Sync(Source.objects.get(pk=self.source.pk), fetched).run()
        self.source.refresh_from_db()
        return self.source


@pytest.fixture
def repository(db, tmp_path):
    return Repository(tmp_path)


@pytest.fixture
def proposing(db, tmp_path):
    """A repository whose changes staff review here."""
    return Repository(tmp_path, review="here")


def published(model=Skill):
    """`{slug: source}` of the published entries."""
    return dict(model.objects.published().values_list("slug", "source"))


def pending():
    """`{slug: path}` of what is on the desk."""
    return dict(Submission.objects.pending().values_list("slug", "path"))


@pytest.fixture
def approve(db):
    """Publish what is on the desk as its page shows it now."""

    def approve(submission=None, **options):
        submission = submission or Submission.objects.pending().get()
        entry = submission.entry_in(submission.model.objects)
        number = entry.number if entry else None
        findings = "" if submission.withdraws else preview(submission).findings_digest
        shown = submission.bytes_digest, number, timezone.now(), findings
        editor = User.objects.create_superuser(f"editor-{submission.pk}")
        return publish(submission, Approval(editor, *shown, **options))

    return approve
