"""The commands of `make test` in a bare checkout (contract 24.9)."""

import os
import shutil
import subprocess

import pytest

from demo.postgres import CHECKOUT


@pytest.fixture
def commands_of(tmp_path):
    """The commands that make would run for a target if nothing is installed."""
    for name in ("Makefile", "requirements-dev.txt"):
        shutil.copy(CHECKOUT / name, tmp_path)

    def commands_of(target):
        done = subprocess.run(
            ["make", "--dry-run", target],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout

    return commands_of


@pytest.mark.contract("24.9")
def test_the_suite_starts_from_a_bare_checkout(commands_of):
    before, _, arguments = commands_of("test").partition(".venv/bin/python -m pytest")

    assert "-m venv .venv" in before
    assert "--require-hashes -r requirements-dev.txt" in before
    # No part of the suite is named, so all unmarked tests run.
    assert arguments.startswith(' -m "not (external or servers or slow)" -n ')
    assert "tests/" not in arguments


@pytest.mark.contract("24.9")
def test_all_of_the_suite_adds_what_is_marked(commands_of):
    _, first, second = commands_of("test-all").split(".venv/bin/python -m pytest")

    assert first.startswith(' -m "not (external or servers or slow)" ')
    assert second.startswith(' -m "external or servers or slow" ')
