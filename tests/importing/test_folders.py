"""Importing skill folders: stored files, and what counts as a change (contract 17)."""

import pytest

from catalogue.models import FileContent, Skill, content_digest
from tests.api.concurrency import during
from tests.imports import import_skills, paths, served, skill, slugs, write

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


LEFT_OUT = {
    ".DS_Store": "a file of an operating system",
    "._run.py": "a file of an operating system",
    ".env": "it may hold secrets",
    ".env.local": "it may hold secrets",
    ".env.production.local": "it may hold secrets",
    ".envrc": "it may hold secrets",
    ".gitignore": "version control",
    ".idea": "a file of an editor",
    ".main.py.swp": "a file of an editor",
    ".npmrc": "it may hold secrets",
    ".venv": "a cache",
    "Thumbs.db": "a file of an operating system",
    "node_modules": "a cache",
    "old.pyc": "a cache",
    "scripts/__pycache__": "a cache",
    "scripts/Node_Modules": "a cache",
}
KEPT = [
    *(".claude/settings.json", ".editorconfig", ".env.example", ".env.local.example"),
    *(".env.sample", ".environment", ".eslintrc", ".mcp.json", ".nojekyll", ".venvs.md"),
    *("[Content_Types].xml", "a.git", "env", "nodes/node_modules.md", "templates/_rels/.rels"),
]


@pytest.mark.contract("17.3")
def test_the_output_names_files_left_out_with_the_reason(anyone, folder):
    for path in LEFT_OUT:
        is_folder = "." not in path.rpartition("/")[2].lstrip(".")
        write(folder / path / "a" if is_folder and path != ".env" else folder / path, "x")
    (folder / ".gitlink").symlink_to("/etc/passwd")

    outcome = import_skills(folder)

    assert paths(anyone) == ["scripts/run.py"]
    left_out = LEFT_OUT | {".gitlink": "version control"}
    assert sorted(outcome.found("left-out")) == sorted(
        f"{folder / path}: {reason}" for path, reason in left_out.items()
    )
    assert outcome.status == 0


@pytest.mark.contract("17.3")
def test_a_dot_alone_leaves_nothing_out(anyone, folder):
    for path in KEPT:
        write(folder / path, "x")

    outcome = import_skills(folder)

    assert outcome.lines == [CREATED]
    assert paths(anyone) == [*KEPT[:-1], "scripts/run.py", KEPT[-1]]
    for path in KEPT:
        assert anyone.get(f"/api/v1/skills/pdf/files/{path}").content == b"x"


@pytest.mark.contract("17.14")
def test_a_link_to_a_file_of_the_same_skill_is_copied(anyone, folder):
    (folder / "run").symlink_to("scripts/run.py")
    (folder / "AGENTS.md").symlink_to("SKILL.md")
    (folder / "scripts" / "again").symlink_to("../run")
    (folder / "absolute").symlink_to(folder / "scripts" / "run.py")

    assert import_skills(folder).lines == [CREATED]
    assert paths(anyone) == ["AGENTS.md", "absolute", "run", "scripts/again", "scripts/run.py"]
    for path in ("absolute", "run", "scripts/again"):
        assert anyone.get(f"/api/v1/skills/pdf/files/{path}").content == b"print(1)\n"


LINKS = {
    "/etc/passwd": "a link that leads out of the skill",
    "../../other/secret.md": "a link that leads out of the skill",
    "..": "a link to a folder",
    "../../pdf": "a link to a folder",
    "nowhere": "a link that leads nowhere",
    "link": "a link that leads nowhere",  # itself
    "../.env": "a link to a file that is left out",
    "outside": "a link that leads out of the skill",
}


@pytest.mark.contract("17.14")
@pytest.mark.parametrize("target", LINKS)
def test_any_other_link_is_left_out_and_named(anyone, folder, target):
    write(folder.parent / "other" / "secret.md", "secret")
    write(folder / ".env", "secret")
    if target == "outside":
        (folder / "scripts" / target).symlink_to("../../other/secret.md")
    (folder / "scripts" / "link").symlink_to(target)

    outcome = import_skills(folder)

    assert f"{folder / 'scripts' / 'link'}: {LINKS[target]}" in outcome.found("left-out")
    assert paths(anyone) == ["scripts/run.py"]
    assert not FileContent.objects.filter(data=b"secret").exists()


@pytest.mark.contract("17.14")
def test_a_link_outside_of_every_skill_is_left_out_and_named(anyone, folder):
    (folder.parent / "CLAUDE.md").symlink_to("AGENTS.md")
    (folder.parent / "tools").symlink_to("/usr")
    (folder.parent / "same").symlink_to("pdf")  # found anyway

    outcome = import_skills(folder.parent)

    assert outcome.found("left-out") == [
        f"{folder.parent / name}: a link outside of every skill" for name in ("CLAUDE.md", "tools")
    ]
    assert (outcome.lines[-1], outcome.status) == (CREATED, 0)


@pytest.mark.contract("17.13")
def test_a_skill_in_a_skill_stays_there_and_is_an_entry_too(anyone, folder):
    for name in ("air", "sea/deep"):
        skill(folder / name, f"name: {name[:3]}")
        write(folder / name / "own.md", "x")
        write(folder / name / ".gitignore", "x")

    outcome = import_skills(folder.parent)

    inner = ["air/SKILL.md", "air/own.md", "sea/deep/SKILL.md", "sea/deep/own.md"]
    assert paths(anyone) == sorted([*inner, "scripts/run.py"])
    assert paths(anyone, "air") == paths(anyone, "sea") == ["own.md"]
    assert f"{folder / 'SKILL.md'}: its files include other skills: air, sea/deep" in outcome.notes


@pytest.mark.contract("17.13")
def test_a_skill_that_is_too_large_with_those_in_it_is_refused_alone(anyone, folder, monkeypatch):
    monkeypatch.setattr("importing.folders.MAX_FILES", 2)
    skill(folder / "inner")
    write(folder / "inner" / "own.md", "x")

    outcome = import_skills(folder.parent)

    sentence = "more than 2 files: scripts/run.py is one too many"
    assert outcome.refused == [f"{folder / 'SKILL.md'}: {sentence}"]
    assert slugs(anyone) == ["inner"]


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
    write(folder / ".git\n\x1b[31mrefused: all", "x")

    outcome = import_skills(folder)

    assert len(outcome.found("left-out")) == len(outcome.lines) == 1


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
