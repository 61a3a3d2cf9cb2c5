"""import_skills: unusable files are reported with path and reason, and the rest goes on."""

import os
import threading
import time
from random import Random
from string import ascii_letters, digits

import pytest

from tests.imports import AFTER_REFUSALS, import_skills, markdown, served, skill, slugs, write

pytestmark = pytest.mark.django_db

NO_FRONTMATTER = "no frontmatter: the file must begin with fields between two lines of ---"
NO_FIELDS = "the frontmatter holds no `key: value` line"
NO_KNOWN = "no frontmatter: no known field"
NO_END = "line 3 must be --- to end the frontmatter, not "
NO_COLON = "needs a plain colon and a plain space after its key"
NO_SLUG = "no slug can be made from its name: use a-z, 0-9 and hyphens"


@pytest.mark.contract("23.5", "23.6")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", NO_FRONTMATTER),
        ("# Just a text\n", NO_FRONTMATTER),
        ("---\nname: pdf\n", NO_FRONTMATTER),
        ("---\nname: pdf\n--- and more\n", f"{NO_END}--- and more"),
        ("---\nname: pdf\n----\nA\n---\n", f"{NO_END}----"),
        ("---\nname: pdf\n...\nA\n---\n", f"{NO_END}..."),
        ("---\nname: pdf\n---\u00a0\nA\n---\n", f"{NO_END}---\\xa0"),
        ("---\nname: pdf\n ---\nA\n---\n", "line 3 must begin with --- to end the frontmatter"),
        *(
            (f"{line}\nname: pdf\n---\n", f"{NO_FRONTMATTER}; line 1 must be --- and nothing else")
            for line in (" ---", "---\u00a0", "\u200b---", "\ufeff\ufeff---", "----", "———")
        ),
        ("Text.\n---\nname: pdf\n---\n", f"{NO_FRONTMATTER}; the first --- is line 2"),
        ("\n# c\n---\nname: pdf\n---\n", f"{NO_FRONTMATTER}; the first --- is line 3"),
        (
            "---\n\n# A\n\nNote: b.\n\n---\n\nC.\n",
            f"{NO_KNOWN}, such as name, follows the first line of ---",
        ),
        ("---\n\nA.\n\nname: b\n\n---\n\nC.\n", "no frontmatter: line 3 is not `key: value`"),
        ("---\ntitle: A\nname\uff1apdf\n---\nA", f"line 3 {NO_COLON}"),
        ("---\nname:\u00a0pdf\n---\nA", f"line 2 {NO_COLON}"),
        (
            "---\nname: pdf\n\n# A\n\nDo it.\n\ntools: Read\n---\n",
            "line 4 is no field: if the text begins there, write --- above it",
        ),
        (
            "---\nname: pdf\n\n```\nname: x\n```\n---\n",
            "line 4 is no field: if the text begins there, write --- above it",
        ),
        (
            "---\nname: pdf\n --- \nDo it.\n",
            f"{NO_FRONTMATTER}; line 3 must be --- and nothing else",
        ),
        ("---\n\ufeffname: pdf\n---\nA", "no frontmatter: line 2 is not `key: value`"),
        ("---\n---\nText.", NO_FIELDS),
        ("---\n# name: pdf\n---\nText.", NO_FIELDS),
        ("---\njust words\n---\nText.", "no frontmatter: line 2 is not `key: value`"),
        (b"---\nname: caf\xe9\n---\nText.", "not UTF-8 text"),
        ("---\nname: pdf\n---\nText.".encode("utf-16"), "not UTF-8 text"),
        ("---\nname: pdf\n---\nA\0B", "contains NUL characters"),
        ("---\nname: p\0df\n---\nText.", "contains NUL characters"),
        ("---\nname: pdf\n---\n" + "x" * 1024 * 1024, "larger than 1024 KiB"),
        (
            f"---\ntitle: {'x' * 64 * 1024}\n---\n",
            "its frontmatter is longer than 64 Ki characters",
        ),
    ],
)
def test_an_invalid_skill_is_refused_and_the_others_are_imported(anyone, tmp_path, data, reason):
    skill(tmp_path / "a")
    bad = write(tmp_path / "b" / "SKILL.md", data)
    skill(tmp_path / "c")

    outcome = import_skills(tmp_path)

    assert outcome.lines == [
        f"refused: {bad}: {reason}",
        f"skills: 2 created, 0 updated, 0 unchanged, 1 refused{AFTER_REFUSALS}",
    ]
    assert outcome.status == 1
    assert slugs(anyone) == ["a", "c"]


@pytest.mark.contract("23.6")
def test_a_file_of_one_mebibyte_is_not_too_large(anyone, tmp_path):
    head = "---\nname: pdf\n---\n"
    write(tmp_path / "x" / "SKILL.md", head + "x" * (1024 * 1024 - len(head)))

    assert import_skills(tmp_path).status == 0
    assert len(served(anyone, "pdf")["content"]) == 1024 * 1024


def test_a_name_that_makes_no_slug_is_refused_where_the_folders_makes_none_either(tmp_path):
    bad = markdown(tmp_path / "👋" / "SKILL.md", ["name: 🎉"], "Do it.")

    outcome = import_skills(tmp_path)

    assert outcome.refused == [f"{bad}: {NO_SLUG}"]
    assert outcome.status == 1


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (f"title: {'x' * 201}", "title"),
        (f"category: {'x' * 65}", "category"),
        (f"tags: [short, {'x' * 65}]", "tags"),
        (f"runtimes: {'x' * 65}", "runtimes"),
        (f"author: {'x' * 201}", "author"),
        (f"version: {'x' * 65}", "version"),
        (f"license: {'x' * 301}", "license"),
    ],
)
def test_a_field_that_is_too_long_is_refused_by_its_name(anyone, tmp_path, line, field):
    skill(tmp_path / "a")
    bad = skill(tmp_path / "b", "name: b", line)

    outcome = import_skills(tmp_path)

    (refused,) = outcome.refused
    assert refused.startswith(f"{bad}: {field}: ")
    assert outcome.status == 1
    assert slugs(anyone) == ["a"]


def test_a_refused_file_leaves_what_it_made_before(anyone, tmp_path):
    file = skill(tmp_path / "pdf", "name: pdf", "title: Good")
    import_skills(tmp_path)
    write(file, "no frontmatter any more")

    outcome = import_skills(tmp_path)

    assert outcome.summary == "skills: 0 created, 0 updated, 0 unchanged, 1 refused"
    assert served(anyone, "pdf")["title"] == "Good"


def test_more_text_than_can_be_searched_stops_nothing(anyone, tmp_path):
    skill(tmp_path / "a", "name: a", f"description: {' '.join(f'w{n}' for n in range(140_000))}")
    skill(tmp_path / "b")

    outcome = import_skills(tmp_path)

    assert "b" in slugs(anyone)
    assert "a" in slugs(anyone) or str(tmp_path / "a") in outcome.refused[0]


def test_a_path_that_is_not_utf_8_stops_nothing(anyone, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    skill(tmp_path / folder, "name: cafe")
    skill(tmp_path / "pdf")

    import_skills(tmp_path)

    assert "pdf" in slugs(anyone)


def test_a_path_of_any_length_stops_nothing(anyone, tmp_path):
    letters = Random(1)
    deep = tmp_path
    while len(str(deep)) < 3500:
        deep /= "".join(letters.choices(ascii_letters + digits, k=240))
    skill(deep, "name: deep")
    skill(tmp_path / "pdf")

    import_skills(tmp_path)

    assert slugs(anyone) == ["deep", "pdf"]


def test_a_folder_that_cannot_be_read_is_reported(anyone, tmp_path, monkeypatch):
    skill(tmp_path / "closed" / "csv")
    skill(tmp_path / "open" / "pdf")
    scandir = os.scandir

    def closed(path):
        # The tests may run as root, who may open every folder.
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]
    assert any(str(tmp_path / "closed") in line for line in outcome.refused)
    assert outcome.status == 1


def test_only_regular_files_are_opened(anyone, tmp_path):
    skill(tmp_path / "b")
    pipe = tmp_path / "a" / "SKILL.md"
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    done = threading.Event()
    writer = threading.Thread(target=feed, args=(pipe, done))
    writer.start()

    try:
        outcome = import_skills(tmp_path)
    finally:
        done.set()
        writer.join()

    assert slugs(anyone) == ["b"]
    assert [line.partition(": ")[0] for line in outcome.refused] == [str(pipe)]


def feed(pipe, done):
    """Write a skill to the first reader of the pipe, so that no reader waits forever."""
    while not done.wait(0.05):
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # no reader
            continue
        os.write(end, b"---\nname: piped\n---\nText.")
        os.close(end)
        time.sleep(0.05)
