"""import_skills: running it again updates and never duplicates."""

import os
import time

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F, signals

from catalogue.models import Skill
from importing import base as importing
from importing.importers import SkillImporter
from tests.imports import SKILLS, import_skills, receiving, served, skill, slugs, write

pytestmark = pytest.mark.django_db


@pytest.mark.contract("23.4")
def test_importing_skills_again_changes_nothing(anyone, tmp_path):
    skill(tmp_path / "one", "name: one", "tags: [a, b]", "description: x: y", "version: 1.0")
    skill(tmp_path / "two")
    import_skills(tmp_path)
    before = [served(anyone, slug) for slug in ("one", "two")]

    outcome = import_skills(tmp_path)

    assert outcome.lines == ["skills: 0 created, 0 updated, 2 unchanged, 0 refused"]
    assert outcome.status == 0
    assert [served(anyone, slug) for slug in slugs(anyone)] == before


@pytest.mark.contract("23.4")
@pytest.mark.parametrize(
    "line",
    [
        *("title: New", "description: New", "category: new", "author: New", "version: '2'"),
        *("license: MIT", "tags: [new]", "runtimes: [new]", "homepage: https://example.org"),
    ],
)
def test_a_changed_file_updates_its_skill(anyone, tmp_path, line):
    skill(tmp_path / "pdf", "name: pdf")
    skill(tmp_path / "same")
    import_skills(tmp_path)
    before, same = served(anyone, "pdf"), served(anyone, "same")
    file = skill(tmp_path / "pdf", "name: pdf", line)

    outcome = import_skills(tmp_path)

    after = served(anyone, "pdf")
    assert outcome.lines == ["skills: 0 created, 1 updated, 1 unchanged, 0 refused"]
    assert after["content"] == file.read_text()
    assert after["updatedAt"] > before["updatedAt"]
    assert (after["skillId"], after["createdAt"]) == (before["skillId"], before["createdAt"])
    assert served(anyone, "same") == same


def test_a_field_that_is_taken_out_of_the_file_is_emptied(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "title: PDF", "author: Harbour", "tags: [a]")
    import_skills(tmp_path)
    skill(tmp_path / "pdf", "name: pdf")

    import_skills(tmp_path)

    detail = served(anyone, "pdf")
    assert (detail["title"], detail["author"], detail["tags"]) == ("PDF", "", [])


def test_a_touched_file_is_unchanged(tmp_path):
    file = skill(tmp_path / "pdf")
    import_skills(tmp_path)
    os.utime(file, (time.time() + 60, time.time() + 60))

    assert import_skills(tmp_path).summary == (
        "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
    )


def test_a_skill_that_gets_another_name_keeps_its_slug(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf")
    import_skills(tmp_path)
    skill(tmp_path / "pdf", "name: pdf-tables")

    import_skills(tmp_path)

    assert slugs(anyone) == ["pdf"]


@pytest.mark.parametrize(
    "spelling", [".", "../repo", "owner", "owner/", "owner/pdf", "owner/../owner", "../linked"]
)
def test_any_spelling_of_the_path_means_the_same_files(anyone, tmp_path, monkeypatch, spelling):
    skill(tmp_path / "repo" / "owner" / "pdf")
    (tmp_path / "linked").symlink_to(tmp_path / "repo")
    import_skills(tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")

    outcome = import_skills(spelling)

    assert outcome.summary == "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
    assert slugs(anyone) == ["pdf"]


def test_the_file_itself_means_the_same_as_its_folder(tmp_path):
    file = skill(tmp_path / "pdf")
    import_skills(tmp_path)

    assert import_skills(file).summary == "skills: 0 created, 0 updated, 1 unchanged, 0 refused"


def test_a_file_under_two_paths_of_one_run_is_one_skill(anyone, tmp_path):
    skill(tmp_path / "owner" / "pdf")

    import_skills(tmp_path, tmp_path / "owner")

    assert slugs(anyone) == ["pdf"]


@pytest.mark.contract("23.3")
@pytest.mark.parametrize("title", ["Old", "New"])
def test_importing_again_leaves_a_withdrawn_entry_withdrawn(anyone, tmp_path, title):
    skill(tmp_path / "pdf", "name: pdf", "title: Old")
    import_skills(tmp_path)
    Skill.objects.update(status="withdrawn")
    skill(tmp_path / "pdf", "name: pdf", f"title: {title}")

    import_skills(tmp_path)

    assert anyone.get(f"{SKILLS}/pdf").status_code == 404
    assert Skill.objects.get().title == title


def test_a_skill_withdrawn_while_it_is_imported_stays_withdrawn(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "title: Old")
    import_skills(tmp_path)
    skill(tmp_path / "pdf", "name: pdf", "title: New")

    with receiving(signals.pre_save, Skill, lambda **_: Skill.objects.update(status="withdrawn")):
        import_skills(tmp_path)

    assert anyone.get(f"{SKILLS}/pdf").status_code == 404


def test_an_update_keeps_the_downloads(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "title: Old")
    import_skills(tmp_path)
    Skill.objects.update(downloads=7)
    skill(tmp_path / "pdf", "name: pdf", "title: New")

    import_skills(tmp_path)

    assert served(anyone, "pdf")["downloads"] == 7


def test_an_update_keeps_the_downloads_that_happen_meanwhile(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "title: Old")
    import_skills(tmp_path)
    skill(tmp_path / "pdf", "name: pdf", "title: New")

    def install(**_):
        Skill.objects.update(downloads=F("downloads") + 1)

    with receiving(signals.pre_save, Skill, install):
        import_skills(tmp_path)

    detail = served(anyone, "pdf")
    assert (detail["title"], detail["downloads"]) == ("New", 1)


def test_an_interrupted_import_of_skills_completes_when_run_again(anyone, tmp_path, monkeypatch):
    for number in range(5):
        skill(tmp_path / f"skill-{number}")

    read_text = importing.read_text

    def interrupt_at_the_last(path):
        if path.parent.name == "skill-4":
            raise KeyboardInterrupt
        return read_text(path)

    monkeypatch.setattr(importing, "BATCH", 2)
    monkeypatch.setattr(importing, "read_text", interrupt_at_the_last)
    stopped = import_skills(tmp_path)
    monkeypatch.undo()
    assert stopped.status == 130
    assert stopped.lines == [
        "skills: stopped after 4 of 5 files. Run the same command again to import the rest."
    ]
    assert slugs(anyone) == [f"skill-{number}" for number in range(4)]

    outcome = import_skills(tmp_path)

    assert outcome.summary == "skills: 1 created, 0 updated, 4 unchanged, 0 refused"
    assert slugs(anyone) == [f"skill-{number}" for number in range(5)]


@pytest.mark.contract("23.4")
def test_a_moved_folder_is_another_source_and_takes_nothing_over(anyone, tmp_path):
    skill(tmp_path / "old" / "pdf")
    import_skills(tmp_path)
    before = served(anyone, "pdf")
    (tmp_path / "old").rename(tmp_path / "new")

    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["pdf", "pdf-new"]
    assert served(anyone, "pdf") == before
    assert outcome.summary == "skills: 1 created, 0 updated, 0 unchanged, 0 refused"
    assert import_skills(tmp_path).summary == (
        "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
    )


def test_a_skill_whose_file_is_gone_stays(anyone, tmp_path):
    file = skill(tmp_path / "pdf")
    skill(tmp_path / "other")
    import_skills(tmp_path)
    file.unlink()

    import_skills(tmp_path)

    assert slugs(anyone) == ["other", "pdf"]


def test_an_import_of_several_batches_is_one_import(anyone, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    for number in range(5):
        skill(tmp_path / f"folder-{number}", f"name: skill-{number % 4}")

    first, second = import_skills(tmp_path), import_skills(tmp_path)

    assert first.summary == "skills: 5 created, 0 updated, 0 unchanged, 0 refused"
    assert second.lines == ["skills: 0 created, 0 updated, 5 unchanged, 0 refused"]
    assert slugs(anyone) == ["skill-0", "skill-0-2", "skill-1", "skill-2", "skill-3"]


def test_refusals_are_printed_before_an_interruption(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 1)
    bad = write(tmp_path / "a" / "SKILL.md", "no frontmatter")
    skill(tmp_path / "b")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SkillImporter, "create", interrupt)
    with pytest.raises(SystemExit):
        call_command("import_skills", tmp_path)

    assert capsys.readouterr().out.splitlines() == [
        f"refused: {bad}: no frontmatter: the file must begin with fields between two lines of ---",
        "skills: stopped after 0 of 2 files. Run the same command again to import the rest.",
    ]


def test_an_empty_source_is_a_source(tmp_path):
    skill(tmp_path / "a" / "pdf")
    skill(tmp_path / "b" / "csv")

    with pytest.raises(CommandError, match="one at a time"):
        import_skills(tmp_path / "a", tmp_path / "b", source="")


@pytest.mark.contract("16.3")
def test_a_file_that_an_older_release_rewrote_is_repaired_again(anyone, tmp_path):
    file = skill(tmp_path / "pdf", "name: pdf", "hooks: {}")
    import_skills(tmp_path)
    Skill.objects.update(skill_md="---\nname: pdf\ndescription: Made.\n---\n\nDo it.\n")

    outcome = import_skills(tmp_path)

    assert outcome.lines == ["skills: 0 created, 1 updated, 0 unchanged, 0 refused"]
    assert anyone.get("/api/v1/skills/pdf/SKILL.md").content == file.read_bytes()
    assert served(anyone, "pdf")["number"] == 3
