"""Staff post files that a skill may not have"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.models import FileContent, Skill
from tests.admin.edits import opened, refusal, save
from tests.admin.skill_form import change, rows, skill_with_files
from tests.browser import untouched_form

pytestmark = pytest.mark.contract("17.15")


@pytest.fixture
def skill(db):
    return skill_with_files()


REFUSED = {
    "no path": ({"path": "", "text": "x"}, "path", "Enter a path, such as scripts/run.py."),
    "out of the folder": (
        {"path": "../a.md", "text": "x"},
        "path",
        "../a.md is a path that is not allowed.",
    ),
    "backslash": (
        {"path": "a\\b", "text": "x"},
        "path",
        "a\\b is a path that is not allowed, with a backslash.",
    ),
    "windows": (
        {"path": "x/con.md", "text": "x"},
        "path",
        "x/con.md is a name that Windows forbids.",
    ),
    "case of a file": (
        {"path": "Scripts/run.py", "text": "x"},
        "path",
        "Scripts and scripts differ in case only.",
    ),
    "SKILL.md": (
        {"path": "SKILL.md", "text": "x"},
        "path",
        "There already is a file or a folder SKILL.md.",
    ),
    "taken": (
        {"path": "scripts/run.py", "text": "x"},
        "path",
        "There already is a file or a folder scripts/run.py.",
    ),
    "folder": (
        {"path": "scripts", "text": "x"},
        "path",
        "There already is a file or a folder scripts.",
    ),
    "below a file": (
        {"path": "scripts/run.py/x", "text": "x"},
        "path",
        "scripts/run.py is a file, so no file can be below it.",
    ),
    "left out": (
        {"path": "a/.env", "text": "x"},
        "path",
        "An import leaves out a/.env: it may hold secrets.",
    ),
    "gone": (
        {"was": "gone.md", "path": "gone.md", "text": "x"},
        "path",
        "gone.md is no longer among the files.",
    ),
    "two contents": (
        {"path": "a", "text": "x", "upload": SimpleUploadedFile("a", b"y")},
        "upload",
        "Choose a file or write its text, not both.",
    ),
    "nul": ({"path": "a", "text": "\0"}, "text", "Null characters are not allowed."),
}


def test_a_faulty_file_is_refused_beside_its_field(admin_client, skill, subtests):
    contents = FileContent.objects.count()
    good = {"path": "typed.md", "text": "Typed."}
    posted = opened(admin_client, skill) | {"title": "New"}
    for name, (row, field, sentence) in REFUSED.items():
        with subtests.test(name):
            response = save(admin_client, skill, posted | rows(good, row))

            errors, page = refusal(response)
            [_, form] = response.context["adminform"].form.file_rows.forms
            assert form.errors == {field: [sentence]}
            assert [*errors] == ["files"]
            assert '<a href="#id_files">Files</a>' in page
            again = untouched_form(response)
            assert (again["title"], again["files-0-text"]) == ("New", "Typed.")
            assert again["files-1-path"] == row["path"]
            skill.refresh_from_db()
            assert (skill.number, FileContent.objects.count()) == (1, contents)


def test_the_limits_are_those_of_an_import(admin_client, skill, monkeypatch):
    monkeypatch.setattr("importing.folders.MAX_FILES", 3)
    monkeypatch.setattr("importing.folders.MAX_FILE", 2)

    page = change(admin_client, skill, {"path": "a", "text": "abc"}, {"path": "b", "text": "b"})

    first, second = page.context["adminform"].form.file_rows.forms
    assert first.errors == {"text": ["a is larger than 0 MiB."]}
    assert second.errors == {"path": ["more than 3 files: b is one too many."]}


def test_a_token_in_a_file_is_refused(admin_client, skill, agent):
    page = change(admin_client, skill, {"path": "a", "text": agent.token.text})

    [form] = page.context["adminform"].form.file_rows.forms
    assert form.errors == {"text": ["a holds a token of this marketplace."]}
    assert not Skill.objects.get().history.exists()


def test_more_rows_than_a_form_has_are_refused(admin_client, skill):
    page = change(admin_client, skill, *({"path": f"{n}", "text": "x"} for n in range(201)))

    assert "Change at most 200 files at once." in page.content.decode()
    assert Skill.objects.get().number == 1
