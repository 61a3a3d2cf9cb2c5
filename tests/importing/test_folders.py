"""Importing skill folders: stored files, and what counts as a change (contract 17)."""

import pytest

from catalogue.models import FileContent, Skill, content_digest
from tests.api.concurrency import during
from tests.imports import import_skills, paths, served, skill, write

pytestmark = pytest.mark.django_db
UNCHANGED = "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
UPDATED = "skills: 0 created, 1 updated, 0 unchanged, 0 refused"
CREATED = "skills: 1 created, 0 updated, 0 unchanged, 0 refused"


@pytest.mark.contract("17.1")
def test_it_stores_every_file_of_the_folder(anyone, folder):
    write(folder / "references" / "deep" / "er" / "ß c.md", "x")
    write(folder / "LICENSE", "")
    (folder / "empty").mkdir()

    outcome = import_skills(folder.parent)

    assert outcome.lines == [CREATED]
    assert paths(anyone) == ["LICENSE", "references/deep/er/ß c.md", "scripts/run.py"]


@pytest.mark.contract("17.10")
def test_importing_the_same_again_changes_nothing(anyone, folder):
    import_skills(folder)
    before = served(anyone, "pdf")

    assert import_skills(folder).lines == [UNCHANGED]
    assert served(anyone, "pdf") == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: write(folder / "scripts" / "run.py", "print(2)\n"),
        lambda folder: write(folder / "more.md", "x"),
        lambda folder: (folder / "scripts" / "run.py").unlink(),
        lambda folder: (folder / "scripts" / "run.py").rename(folder / "run.py"),
        lambda folder: (folder / "scripts" / "run.py").chmod(0o755),
    ],
    ids=["content", "added", "removed", "moved", "executable"],
)
def test_any_change_of_the_folder_is_an_update_and_another_digest(anyone, folder, change):
    import_skills(folder)
    before = served(anyone, "pdf")
    change(folder)

    assert import_skills(folder).lines == [UPDATED]
    assert served(anyone, "pdf")["digest"] != before["digest"]


@pytest.mark.contract("17.4")
def test_the_same_bytes_are_stored_once(anyone, folder):
    write(folder / "copy.py", "print(1)\n")
    skill(folder.parent / "other")
    write(folder.parent / "other" / "run.py", "print(1)\n")

    import_skills(folder.parent)

    assert FileContent.objects.filter(data=b"print(1)\n").count() == 1
    assert len(paths(anyone)) == 2


@pytest.mark.contract("17.3")
def test_the_output_names_files_left_out_with_the_reason(anyone, folder):
    write(folder / ".env", "x")
    write(folder / ".github" / "ci.yml", "x")
    write(folder / "scripts" / "__pycache__" / "run.pyc", "x")
    write(folder / "old.pyc", "x")
    write(folder / "node_modules" / "a" / "index.js", "x")
    (folder / ".link").symlink_to("/etc/passwd")
    skill(folder / "inner")
    write(folder / "inner" / "own.md", "x")

    outcome = import_skills(folder)

    assert paths(anyone) == ["scripts/run.py"]
    assert outcome.notes == [
        f"{folder / 'SKILL.md'}: left out {path}: {reason}"
        for path, reason in {
            ".env": "hidden",
            ".github": "hidden",
            ".link": "hidden",
            "inner": "a skill of its own",
            "node_modules": "a cache",
            "old.pyc": "a cache",
            "scripts/__pycache__": "a cache",
        }.items()
    ]
    assert [file["path"] for file in served(anyone, "inner")["files"]] == ["own.md"]


def test_a_file_that_is_no_skill_md_stands_alone(anyone, folder):
    (folder / "SKILL.md").rename(folder / "pdf.md")

    import_skills(folder / "pdf.md")

    assert paths(anyone) == []


def test_a_skill_md_brings_its_folder(anyone, folder):
    import_skills(folder / "SKILL.md")

    assert paths(anyone) == ["scripts/run.py"]


def test_an_edited_text_makes_the_archive_anew(anyone, folder):
    import_skills(folder)
    edited = Skill.objects.get()
    edited.content += "Do it well.\n"

    edited.save(update_fields=["content"])

    archive = anyone.get("/api/v1/skills/pdf/archive.zip").content
    assert b"Do it well." in archive
    assert Skill.objects.get().archive_digest == content_digest(archive)


def test_a_note_is_one_line_whatever_a_name_holds(folder):
    write(folder / ".a\n\x1b[31mrefused: all", "x")

    assert len(import_skills(folder).lines) == 2


def test_a_folder_with_the_name_of_a_skill_md_is_a_folder(anyone, folder):
    write(folder / "examples" / "SKILL.md" / "a.md", "x")

    import_skills(folder)

    assert paths(anyone) == ["examples/SKILL.md/a.md", "scripts/run.py"]


def test_a_link_to_a_skill_md_brings_the_folder_where_that_is(anyone, folder):
    write(folder.parent / "a" / "other.md", "x")
    (folder.parent / "a" / "SKILL.md").symlink_to(folder / "SKILL.md")

    import_skills(folder.parent)

    assert paths(anyone) == ["scripts/run.py"]
    again = import_skills(folder.parent)
    assert again.lines == ["skills: 0 created, 0 updated, 2 unchanged, 0 refused"]


def test_the_later_of_two_concurrent_imports_is_stored_whole(transactional_db, anyone, folder):
    import_skills(folder.parent, source="ours")
    skill(folder.parent.parent / "other" / "pdf", "name: pdf", body="Other.")
    write(folder.parent.parent / "other" / "pdf" / "scripts" / "run.py", "other")
    text = (folder / "SKILL.md").read_text()
    write(folder / "scripts" / "run.py", "later")

    during(
        lambda: import_skills(folder.parent.parent / "other", source="ours"),
        lambda: import_skills(folder.parent, source="ours"),
    )

    detail = served(anyone, "pdf")
    assert detail["content"] == text
    assert anyone.get(detail["files"][0]["url"]).content == b"later"
