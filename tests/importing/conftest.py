"""A skill that is a folder."""

import pytest

from tests.imports import skill, write


@pytest.fixture
def folder(tmp_path):
    """A skill's folder with one file."""
    skill(tmp_path / "pdf", "name: pdf", "description: Reads.")
    write(tmp_path / "pdf" / "scripts" / "run.py", "print(1)\n")
    return tmp_path / "pdf"
