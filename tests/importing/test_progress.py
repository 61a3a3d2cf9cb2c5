"""The progress of an import, on a terminal and in a log."""

import re
import sys
from io import StringIO

import pytest
from django.core.management import call_command

from importing import base as importing
from tests.imports import import_skills, skill, write

pytestmark = pytest.mark.django_db


class Terminal(StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_a_progress_bar(tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    for number in range(4):
        skill(tmp_path / f"skill-{number}")
    monkeypatch.setattr(sys, "stderr", Terminal())

    import_skills(tmp_path)

    output = sys.stderr.getvalue()
    first, *_, last = re.findall(r"\d+%.*? (\d+/\d+) ", output)
    assert (first, last) == ("0/4", "4/4")


def test_messages_are_printed_above_the_bar(tmp_path, monkeypatch):
    bad = write(tmp_path / "a" / "SKILL.md", "no frontmatter")
    skill(tmp_path / "b")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with pytest.raises(SystemExit):
        call_command("import_skills", tmp_path, stdout=terminal)

    before, after = terminal.getvalue().split(f"refused: {bad}: no frontmatter")
    # The bar is erased before the message, and drawn again in the next line.
    assert re.search(r"\r  0%.*\| 0/2 .*\r +\r$", before)
    assert after.partition("\n")[2].startswith("\r  0%")


def test_a_log_sees_no_progress_bar(tmp_path, capsys):
    skill(tmp_path / "pdf")

    import_skills(tmp_path)

    assert capsys.readouterr().err == ""
