"""One instance of the product follows another: what A serves by git is on B after the next run."""

import os
import random
import secrets
import subprocess
import sys
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import connection

from catalogue.models import Skill
from demo.postgres import CHECKOUT
from tests.imports import import_personas, import_skills, write
from tests.interfaces.git.conftest import Git, address
from tests.live import LiveServer, url_of_test_database
from tests.system.scale import UNLIMITED, scale

pytestmark = [pytest.mark.servers, pytest.mark.slow]

EDITS, EDITS_OF_A_RUN = scale(short=24, long=200), scale(short=8, long=10)
TEXT = "---\nname: {}\ndescription: Does one thing well.\nlicense: MIT\n---\n\nDo it {} times.\n"
FOLLOW = (
    "from sources.models import Source; "
    "Source.objects.create(name='a', url={url!r}, kind='both', review='git')"
)
# Publish all that waits on the desk.
APPROVE = """
from django.contrib.auth.models import User
from django.utils import timezone
from submissions.models import Submission
from submissions.publishing import Approval, preview, publish
user, _ = User.objects.get_or_create(username="editor", is_superuser=True)
for submission in Submission.objects.pending():
    entry = submission.entry_in(submission.model.objects)
    number = entry.number if entry else None
    is_back = entry is not None and not entry.is_published
    findings = "" if submission.withdraws else preview(submission).findings_digest
    shown = submission.bytes_digest, number, timezone.now(), findings
    publish(submission, Approval(user, *shown, ends_recall=is_back))
"""


class FollowedInstance:
    """A, whose staff edit a folder, import it, withdraw, recall and purge."""

    def __init__(self, folder, chance):
        self.folder, self.chance, self.number, self.purged = folder, chance, 0, set()

    def edit(self):
        """Returns the name of what was done."""
        self.number += 1
        names = ["create", "change", "change", "add_file", "change_mode", "create_persona"]
        names += ["withdraw", "recall", "publish_again", "purge"]
        name = self.chance.choice(names)
        getattr(self, name)()
        return name

    def published(self):
        return self.chance.choice(Skill.objects.published().order_by("slug"))

    def import_all(self):
        import_skills(self.folder / "skills", source="a")
        import_personas(self.folder / "personas", source="a")

    def create(self):
        name = f"skill-{self.number}"
        write(self.folder / f"skills/{name}/SKILL.md", TEXT.format(name, self.number))
        self.import_all()

    def create_persona(self):
        name = f"persona-{self.number}"
        write(self.folder / f"personas/{name}.md", TEXT.format(name, self.number))
        self.import_all()

    def change(self):
        slug = self.published().slug
        write(self.folder / f"skills/{slug}/SKILL.md", TEXT.format(slug, self.number))
        self.import_all()

    def add_file(self):
        path = f"references/{self.chance.choice('abc')}.md"
        write(self.folder / "skills" / self.published().slug / path, f"{self.number}\n")
        self.import_all()

    def change_mode(self):
        path = self.folder / "skills" / self.published().slug / "tool.py"
        write(path, f"print({self.number})\n")
        path.chmod(self.chance.choice([0o644, 0o755]))
        self.import_all()

    def withdraw(self):
        self.published().withdraw()

    def recall(self):
        self.published().recall("It was wrong.")

    def publish_again(self):
        if withdrawn := list(Skill.objects.filter(status="withdrawn").order_by("slug")):
            self.chance.choice(withdrawn).publish()

    def purge(self):
        """Take out an earlier text of a skill that nothing has now."""
        for skill in Skill.objects.published().order_by("slug"):
            for version in skill.versions.filter(number__lt=skill.number):
                key = skill.slug, version.number
                if version.digest != skill.digest and key not in self.purged:
                    self.purged.add(key)
                    call_command("purge_version", "skill", skill.slug, version.number, reason="x")
                    return


@contextmanager
def follower(folder, hosts):
    """B: a server on a database of its own, and `manage` for its commands."""
    name = f"follower_{secrets.token_hex(6)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE {os.environ['TEMPLATE_OF_TESTS']}")
    url = f"{url_of_test_database().rpartition('/')[0]}/{name}"
    environment = {"DATABASE_URL": url, "SOURCE_HOSTS": hosts, **UNLIMITED}
    folder.mkdir()

    def manage(*arguments):
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        with LiveServer(folder / "log", environment) as server:
            server.manage = manage
            yield server
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def entries_of(git, server, name):
    """The files of all plugins that a clone has, with their modes, without manifests."""
    git("clone", "--quiet", "--depth=1", address(server, "catalogue"), name)
    lines = git("ls-tree", "-r", "HEAD", within=name).splitlines()
    files = [(line.split("\t")[1], line.split()[0], line.split()[2]) for line in lines]
    return {
        path: (mode, sha) for path, mode, sha in files if "/skills/" in path or "/agents/" in path
    }


@pytest.mark.contract("30.24")
def test_what_one_instance_serves_is_on_the_other(live_server_of, tmp_path):
    server, git = live_server_of(**UNLIMITED), Git(tmp_path)
    upstream = FollowedInstance(tmp_path / "a", random.Random(1))
    (tmp_path / "a/personas").mkdir(parents=True)
    for _ in range(20):
        upstream.number += 1
        name = f"skill-{upstream.number}"
        write(upstream.folder / f"skills/{name}/SKILL.md", TEXT.format(name, 1))
    upstream.import_all()
    done = []
    with follower(tmp_path / "b", f"127.0.0.1:{server.port}") as other:
        url = address(server, "catalogue")
        other.manage("shell", "--no-imports", "--command", FOLLOW.format(url=url))
        while len(done) < EDITS:
            done += [upstream.edit() for _ in range(EDITS_OF_A_RUN)]
            said = other.manage("sync_sources", "a")
            other.manage("shell", "--no-imports", "--command", APPROVE)
            names = f"a-{len(done)}", f"b-{len(done)}"
            served, copied = entries_of(git, server, names[0]), entries_of(git, other, names[1])
            assert copied == served, (done, said)
    print(f"\nfollowed: {len(done)} edits, {len(served)} files at the end, 0 differences")  # noqa: T201
