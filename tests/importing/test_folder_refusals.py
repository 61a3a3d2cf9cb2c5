"""A skill's folder is refused as a whole, and nothing of it is stored (contract 17.2)."""

import os

import pytest

from agents import tokens
from catalogue.models import FileContent
from importing import folders
from importing.folders import MAX_FILES
from importing.members import MAX_FILE, MIB
from tests.imports import import_skills, paths, served, skill, slugs, write

pytestmark = pytest.mark.django_db
UNCHANGED = "skills: 0 created, 0 updated, 1 unchanged, 0 refused"
UPDATED = "skills: 0 created, 1 updated, 0 unchanged, 0 refused"
CREATED = "skills: 1 created, 0 updated, 0 unchanged, 0 refused"


HOSTILE = {
    "scripts/" + "a" * 193: "is longer than 200 bytes",
    "a/" * 18 + "a.md": None,
    "a/" * 19 + "a.md": "has more than 19 parts",
    "é" * 97 + ".exe": None,  # 198 bytes
    "é" * 99 + ".md": "is longer than 200 bytes",
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


@pytest.mark.contract("17.2")
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


@pytest.mark.contract("17.2")
def test_a_name_that_is_not_utf_8_refuses_it(anyone, folder):
    write(folder.parent / "pdf" / os.fsdecode(b"caf\xe9.md"), "x")

    outcome = import_skills(folder)

    assert outcome.refused == [f"{folder / 'SKILL.md'}: the name 'caf\ufffd.md' is not UTF-8"]
    assert slugs(anyone) == []


@pytest.mark.contract("17.2")
def test_a_decomposed_name_is_stored_in_nfc(anyone, folder):
    write(folder / "cafe\u0301" / "re\u0301sume\u0301.md", "x")

    assert import_skills(folder).lines == [CREATED]
    assert paths(anyone) == ["caf\u00e9/r\u00e9sum\u00e9.md", "scripts/run.py"]
    assert anyone.get("/api/v1/skills/pdf/files/caf\u00e9/r\u00e9sum\u00e9.md").content == b"x"


@pytest.mark.contract("17.2")
@pytest.mark.parametrize("names", [("\u00e9", "e\u0301"), ("caf\u00e9.md", "cafe\u0301.md")])
def test_two_names_that_are_one_in_nfc_refuse_it(anyone, folder, names):
    for name in names:
        write(folder / name, "x")

    outcome = import_skills(folder)

    sentence = f"two names are both {names[0]} in Unicode's normal form C"
    assert outcome.refused == [f"{folder / 'SKILL.md'}: {sentence}"]
    assert slugs(anyone) == []


def test_a_pipe_refuses_it(folder):
    os.mkfifo(folder / "pipe")

    assert import_skills(folder).refused == [f"{folder / 'SKILL.md'}: pipe is not a regular file"]


@pytest.mark.contract("17.1")
def test_a_thousand_files_are_stored_and_no_more(anyone, folder):
    for number in range(MAX_FILES - 1):
        write(folder / f"{number:04}.md", str(number))
    assert import_skills(folder).lines == [CREATED]
    assert len(paths(anyone)) == 1000

    write(folder / "zz.md", "x")

    refused = f"{folder / 'SKILL.md'}: more than 1,000 files: zz.md is one too many"
    assert import_skills(folder).refused == [refused]
    assert len(paths(anyone)) == 1000


@pytest.mark.contract("17.1")
@pytest.mark.usefixtures("downloads")
def test_ten_mebibytes_are_stored_and_no_more(anyone, folder):
    data = bytes(range(256)) * (MAX_FILE // 256)
    write(folder / "large.bin", data)
    assert import_skills(folder).lines == [CREATED]
    assert served(anyone, "pdf")["files"][0]["size"] == MAX_FILE
    assert anyone.get("/api/v1/skills/pdf/files/large.bin").content == data

    write(folder / "large.bin", data + b"x")

    refused = f"{folder / 'SKILL.md'}: large.bin is larger than 10 MiB"
    assert import_skills(folder).refused == [refused]


@pytest.mark.contract("17.1")
@pytest.mark.usefixtures("downloads")
def test_thirty_mebibytes_are_stored_and_no_more(anyone, folder, monkeypatch):
    assert folders.MAX_FOLDER == 30 * MIB
    monkeypatch.setattr(folders, "MAX_FOLDER", 3 * MIB)
    (folder / "scripts" / "run.py").unlink()
    for number in range(3):
        write(folder / f"{number}.bin", bytes([0x80 + number]) * MIB)
    assert import_skills(folder).lines == [CREATED]
    assert len(anyone.get("/api/v1/skills/pdf/archive.zip").content) > 3 * MIB

    write(folder / "9.bin", b"x")

    refused = f"{folder / 'SKILL.md'}: more than 3 MiB: 9.bin exceeds the limit"
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


def test_a_token_in_a_name_refuses_it_and_is_not_repeated(anyone, folder):
    token = tokens.mint()
    write(folder / f"{token}.txt", "x")

    outcome = import_skills(folder)

    sentence = "the name of a file holds a token of this marketplace"
    assert outcome.refused == [f"{folder / 'SKILL.md'}: {sentence}"]
    assert slugs(anyone) == []
