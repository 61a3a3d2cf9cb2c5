"""`make lint` refuses to edit a migration that is on main or in a release."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo.postgres import CHECKOUT
from tests.lint_migrations import edited

MIGRATION = "agents/migrations/0001_initial.py"


def git(*arguments):
    author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com")
    subprocess.run(["git", *author, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository whose main branch has one migration."""
    # A git hook sets variables that name its own repository.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    git("init", "-b", "main")
    write(MIGRATION, "operations = []")
    commit("Begin")
    return tmp_path


def write(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(message):
    git("add", "-A")
    git("commit", "-m", message)


def test_a_new_migration_may_be_written_and_edited(checkout):
    git("checkout", "-b", "feature")
    for text in ("operations = []", "operations = [1]"):
        write("agents/migrations/0002_next.py", text)
        commit("Add or edit a migration")

    assert edited() == []


@pytest.mark.parametrize("is_committed", [False, True])
def test_one_that_is_on_main_may_not_be_edited(checkout, is_committed):
    git("checkout", "-b", "feature")
    write(MIGRATION, "operations = [1]")
    if is_committed:
        commit("Edit")

    assert edited() == [MIGRATION]


def test_nor_deleted(checkout):
    (checkout / MIGRATION).unlink()

    assert edited() == [MIGRATION]


def test_nor_edited_by_the_last_commit_of_main_itself(checkout):
    write(MIGRATION, "operations = [1]")
    commit("Edit")

    assert edited() == [MIGRATION]


def test_nor_one_of_a_release_on_main_itself(checkout):
    git("tag", "-a", "v1.0.0", "-m", "1.0.0")
    write(MIGRATION, "operations = [1]")
    commit("Edit")
    write("README.md", "")
    commit("Do something else")

    assert edited() == [MIGRATION]


@pytest.mark.parametrize("path", [os.environ["PATH"], ""])
def test_outside_of_a_repository_or_without_git_nothing_is_refused(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)

    assert edited() == []


def test_a_clone_without_history_says_that_nothing_was_compared(checkout):
    write(MIGRATION, "operations = [1]")
    commit("Edit")
    git("clone", "--depth", "1", checkout.as_uri(), "clone")

    assert lint("clone").startswith("Migrations are not compared")
    git("-C", "clone", "fetch", "--unshallow")
    assert lint("clone").startswith(MIGRATION)


def lint(folder):
    """The output of `make lint` about the migrations in a folder."""
    command = [sys.executable, "-m", "tests.lint_migrations"]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(
        command, cwd=folder, env=environment, check=False, stderr=subprocess.PIPE, text=True
    ).stderr
