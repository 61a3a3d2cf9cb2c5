"""Importing skills that are folders: what is stored of one, and what refuses it (lifecycle 15)."""

import os

import pytest

from agents import tokens
from catalogue.importing.folders import MAX_FILE, MAX_FILES
from catalogue.models import FileContent, Skill, content_digest
from tests.api.concurrency import during
from tests.imports import import_skills, served, skill, slugs, write

pytestmark = pytest.mark.django_db
UNCHANGED = "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
UPDATED = "skills: 0 created, 1 updated, 0 unchanged, 0 refused"
CREATED = "skills: 1 created, 0 updated, 0 unchanged, 0 refused"


@pytest.fixture
def folder(tmp_path):
    """A skill's folder with one file."""
    skill(tmp_path / "pdf", "name: pdf", "description: Reads.")
    write(tmp_path / "pdf" / "scripts" / "run.py", "print(1)\n")
    return tmp_path / "pdf"


def paths(anyone):
    return [file["path"] for file in served(anyone, "pdf")["files"]]


def test_it_stores_every_file_of_the_folder(anyone, folder):
    write(folder / "references" / "deep" / "er" / "ß c.md", "x")
    write(folder / "LICENSE", "")
    (folder / "empty").mkdir()

    outcome = import_skills(folder.parent)

    assert outcome.lines == [CREATED]
    assert paths(anyone) == ["LICENSE", "references/deep/er/ß c.md", "scripts/run.py"]


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


def test_the_same_bytes_are_stored_once(anyone, folder):
    write(folder / "copy.py", "print(1)\n")
    skill(folder.parent / "other")
    write(folder.parent / "other" / "run.py", "print(1)\n")

    import_skills(folder.parent)

    assert FileContent.objects.count() == 1
    assert len(paths(anyone)) == 2


def test_what_is_left_out_is_named_with_its_reason(anyone, folder):
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


HOSTILE = {
    "scripts/" + "a" * 193: "is longer than 200 bytes",
    "é" * 97 + ".exe": None,  # 198 bytes
    "é" * 99 + ".md": "is longer than 200 bytes",
    "cafe\u0301.md": "is not in Unicode's normal form C",
    "caf\u00e9.md": None,
    "a\tb": "holds a control character",
    "a\x85b": "holds a control character",
    "con": "is a name that Windows forbids",
    "Aux.txt": "is a name that Windows forbids",
    "scripts/com1.tar.gz": "is a name that Windows forbids",
    "LPT³": "is a name that Windows forbids",
    "nul /a": "is a name that Windows forbids",
    "console.log": None,
    "com10": None,
    "dot.": "is a name that Windows forbids",
    "space ": "is a name that Windows forbids",
    "a:b": "is a name that Windows forbids",
    "a\\b": "is a name that Windows forbids",
    "what?": "is a name that Windows forbids",
    "a*": "is a name that Windows forbids",
    "<a>": "is a name that Windows forbids",
    'a"b': "is a name that Windows forbids",
    "a|b": "is a name that Windows forbids",
    "#a&b=c%d+e.txt": None,
    "Scripts/other.py": "differ in case only",
    "SCRIPTS": "differ in case only",
    "skill.MD": "differ in case only",
}


@pytest.mark.parametrize("path", HOSTILE)
def test_a_name_that_is_not_allowed_refuses_the_whole_skill(anyone, folder, path):
    write(folder / path, "x")
    reason = HOSTILE[path]

    outcome = import_skills(folder)

    if reason is None:
        assert (outcome.lines, outcome.status) == ([CREATED], 0)
        assert path in paths(anyone)
    else:
        [refused] = outcome.refused
        assert refused.startswith(f"{folder / 'SKILL.md'}: ") or "skill.MD" in refused
        assert refused.endswith(reason)
        assert slugs(anyone) == []
        assert not FileContent.objects.exists()


def test_a_name_that_is_not_utf_8_refuses_it(anyone, folder):
    write(folder.parent / "pdf" / os.fsdecode(b"caf\xe9.md"), "x")

    outcome = import_skills(folder)

    assert outcome.refused == [f"{folder / 'SKILL.md'}: the name caf\ufffd.md is not UTF-8"]
    assert slugs(anyone) == []


@pytest.mark.parametrize("target", ["run.py", "/etc/passwd", "nowhere", ".."])
def test_a_link_refuses_it_wherever_it_leads(anyone, folder, target):
    (folder / "scripts" / "link").symlink_to(target)

    outcome = import_skills(folder)

    assert outcome.refused == [f"{folder / 'SKILL.md'}: scripts/link is a symbolic link"]
    assert slugs(anyone) == []


def test_a_pipe_refuses_it(folder):
    os.mkfifo(folder / "pipe")

    assert import_skills(folder).refused == [f"{folder / 'SKILL.md'}: pipe is no regular file"]


def test_a_hundred_files_are_stored_and_no_more(anyone, folder):
    for number in range(MAX_FILES - 1):
        write(folder / f"{number:03}.md", str(number))
    assert import_skills(folder).lines == [CREATED]
    assert len(paths(anyone)) == 100

    write(folder / "zz.md", "x")

    refused = f"{folder / 'SKILL.md'}: more than 100 files: zz.md is one too many"
    assert import_skills(folder).refused == [refused]
    assert len(paths(anyone)) == 100


def test_a_mebibyte_is_stored_and_no_more(anyone, folder):
    write(folder / "large.bin", bytes(MAX_FILE))
    assert import_skills(folder).lines == [CREATED]
    assert served(anyone, "pdf")["files"][0]["size"] == MAX_FILE

    write(folder / "large.bin", bytes(MAX_FILE + 1))

    refused = f"{folder / 'SKILL.md'}: large.bin is larger than 1024 KiB"
    assert import_skills(folder).refused == [refused]


def test_eight_mebibytes_are_stored_and_no_more(anyone, folder):
    (folder / "scripts" / "run.py").unlink()
    for number in range(8):
        write(folder / f"{number}.bin", bytes([number]) * MAX_FILE)
    assert import_skills(folder).lines == [CREATED]
    assert len(anyone.get("/api/v1/skills/pdf/archive.zip").content) > 8 * MAX_FILE

    write(folder / "9.bin", b"x")

    refused = f"{folder / 'SKILL.md'}: its files are larger than 8 MiB with 9.bin"
    assert import_skills(folder).refused == [refused]


@pytest.mark.parametrize("around", [b"", b"\0\xff"], ids=["text", "binary"])
def test_a_token_of_the_marketplace_refuses_it(anyone, folder, around):
    write(folder / "scripts" / "key", around + tokens.mint().encode() + around)

    outcome = import_skills(folder)

    refused = f"{folder / 'SKILL.md'}: scripts/key holds a token of this marketplace"
    assert outcome.refused == [refused]
    assert slugs(anyone) == []


def test_a_token_in_the_skill_md_refuses_it(anyone, folder):
    skill(folder, "name: pdf", body=f"Use {tokens.mint()}.")

    outcome = import_skills(folder)

    assert outcome.refused == [f"{folder / 'SKILL.md'}: holds a token of this marketplace"]
    assert slugs(anyone) == []


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


def test_a_token_in_a_name_refuses_it_and_is_not_repeated(anyone, folder):
    token = tokens.mint()
    write(folder / f"{token}.txt", "x")

    outcome = import_skills(folder)

    sentence = "the name of a file holds a token of this marketplace"
    assert outcome.refused == [f"{folder / 'SKILL.md'}: {sentence}"]
    assert slugs(anyone) == []


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


def test_two_imports_of_a_folder_take_turns(transactional_db, anyone, folder):
    import_skills(folder)

    def first():
        write(folder / "SKILL.md", "---\nname: pdf\n---\nFirst.")
        write(folder / "scripts" / "run.py", "first")
        import_skills(folder)

    def second():
        write(folder / "scripts" / "run.py", "second")
        import_skills(folder)

    during(first, second)

    shown = served(anyone, "pdf")
    assert shown["content"].endswith("First.")
    assert anyone.get(shown["files"][0]["url"]).content == b"second"
