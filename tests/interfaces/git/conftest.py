import os
import subprocess

import pytest

from tests.factories import SkillFactory


class Git:
    """git with an empty HOME, in one folder; it asks for nothing and reads no configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def __call__(self, *command, within=".", stdin=None):
        done = self.attempt(*command, within=within, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempt(self, *command, within=".", stdin=None):
        return subprocess.run(
            ["git", *command],
            cwd=self.folder / within,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,  # a busy machine takes a minute for a large repository
            check=False,
        )

    def files(self, within):
        """The bytes of each file of the newest commit, by path."""
        self("reset", "--hard", "--quiet", within=within)
        paths = self("ls-files", "-z", within=within).split("\0")[:-1]
        return {path: (self.folder / within / path).read_bytes() for path in paths}

    def commits(self, within):
        """The subject of each commit, the newest first."""
        return self("log", "--format=%s", within=within).splitlines()


@pytest.fixture
def git(tmp_path):
    return Git(tmp_path)


def address(server, path, token=None):
    login = f"x:{token.text}@" if token else ""
    return f"http://{login}127.0.0.1:{server.port}/git/{path}.git"


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", content="# Tables\n", files={"run.sh": b"true\n"})
