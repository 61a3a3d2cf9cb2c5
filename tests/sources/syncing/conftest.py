import shutil
from itertools import count

import pytest

from catalogue.models import Skill
from sources.fetching import Fetched
from sources.models import Source
from sources.syncing import Sync
from submissions.models import Submission
from tests.admin.conftest import clerk_with  # noqa: F401
from tests.imports import markdown, write
from tests.submissions.conftest import approve, desk, editor  # noqa: F401

ABOUT = ["description: Does one thing well.", "license: MIT"]


class SyncedFolder:
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

    def move(self, path, place):
        (self.folder / path).rename(self.folder / place)

    def remove(self, path):
        shutil.rmtree(self.folder / path)

    def sync(self, *, findings=(), rewritten=False, **options):
        """Run once over the folder, as a new commit; returns the source as the run left it."""
        if options:
            Source.objects.filter(pk=self.source.pk).update(**options)
        commit = f"{next(self.numbers):040x}"
        fetched = Fetched(commit, rewritten, self.folder, list(findings))
        Sync(Source.objects.get(pk=self.source.pk), fetched).run()
        self.source.refresh_from_db()
        return self.source


@pytest.fixture
def repository(db, tmp_path):
    return SyncedFolder(tmp_path)


@pytest.fixture
def proposing(db, tmp_path):
    """A repository whose changes staff review here."""
    return SyncedFolder(tmp_path, review="here")


def published(model=Skill):
    """`{slug: source}` of the published entries."""
    return dict(model.objects.published().values_list("slug", "source"))


def statuses():
    """`{slug: status}` of all skills."""
    return dict(Skill.objects.values_list("slug", "status"))


def pending():
    """`{slug: path}` of what is on the desk."""
    return dict(Submission.objects.pending().values_list("slug", "path"))
