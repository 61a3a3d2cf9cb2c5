"""`make lint` refuses an edit of a migration that is on main or in a release."""

import subprocess
from pathlib import Path

import pytest

from tests.lint_migrations import edited

MIGRATION = "agents/migrations/0001_initial.py"


def git(*arguments):
    author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com")
    subprocess.run(["git", *author, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository in which main has one migration."""
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


def test_nor_one_of_a_release_on_main_itself(checkout):
    git("tag", "-a", "v1.0.0", "-m", "1.0.0")
    write(MIGRATION, "operations = [1]")
    commit("Edit")

    assert edited() == [MIGRATION]


def test_outside_of_a_repository_nothing_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert edited() == []
