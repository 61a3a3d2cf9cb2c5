"""`make lint` refuses phrases that read like a translation, and leaves plain English alone."""

import os
import re
import subprocess

import pytest

from tests import lint_prose
from tests.lint_prose import PATTERNS


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("What as the subject", "What changes nothing is in no history."),
        ("What as the subject", "What staff have withdrawn stays withdrawn."),
        ("Who as the subject", "Who waits as long as a 429 says must be served."),
        ("Of a … at the start", "Of a deleted review the row stays."),
        ("no more for no longer", "Have a skill no more, such as a recalled one."),
        ("is none", "Its parent, if there was one, is none."),
        ("of it all", "A summary of it all."),
        ("stands in", "The author stands in the history."),
        ("such a one", "Remove such a one first."),
    ],
)
def test_it_finds(pattern, sentence):
    assert [name for name in PATTERNS if re.search(PATTERNS[name], sentence)] == [pattern]


@pytest.mark.parametrize(
    "sentence",
    [
        "What an agent has that is no longer in the catalogue, latest first.",
        "What does a recall do?",
        "Who may read the catalogue?",
        "An agent makes no more than ten tokens.",
        "There is none.",
        "`TOKEN` stands for the agent's token.",
    ],
)
def test_it_leaves_alone(sentence):
    assert [name for name in PATTERNS if re.search(PATTERNS[name], sentence)] == []


def test_it_names_file_and_line(tmp_path, monkeypatch):
    # If a git hook runs the tests, it names its own repository.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\nFine.\n\n- Fine\n- Of a skill,\n  nothing.\n")
    (tmp_path / "b.py").write_text('X = 1\n\n# Fine, and\n# is no more.\nY = "a"\n\n"""Fine."""\n')
    (tmp_path / "c.html").write_text("<p>\n{# x #}\nIt stands\nin <b>it</b>.</p>\n")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "."], check=True)

    assert list(lint_prose.findings()) == [
        "a.md:6: Of a … at the start: Of a skill, nothing.",
        "c.html:3: stands in: It stands in it .",
        "b.py:3: no more for no longer: Fine, and is no more.",
    ]
