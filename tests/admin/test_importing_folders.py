"""Staff import and export skills with their files, and see what became of each of them"""

import io
import zipfile

import pytest

from catalogue.models import FileContent, Skill
from importing import confirmed, folders
from importing.admin import imports
from tests.admin.diffs import lines_of, without_marks
from tests.admin.files import SKILL_MD, SKILLS, confirm, outcomes, upload, zip_of
from tests.imports import served

FOLDER = {
    "one/SKILL.md": SKILL_MD.format("one"),
    "one/scripts/run.py": "print(1)\nprint(2)\n",
    "one/logo.png": b"\x89PNG\r\n\x1a\n\0",
    "one/LICENSE": "MIT",
}


@pytest.fixture
def imported(admin_client):
    upload(admin_client, zip_of(FOLDER))
    confirm(admin_client)


def diffs(page, kind="updated"):
    [outcome] = page.context["outcomes"][kind]
    return {change["name"]: lines_of(change) for change in outcome.changes}


def test_a_preview_lists_the_files_of_a_new_skill_and_stores_none(admin_client):
    page = upload(admin_client, zip_of(FOLDER))

    assert list(diffs(page, "created")) == ["SKILL.md", "LICENSE", "logo.png", "scripts/run.py"]
    assert "scripts/run.py" in page.content.decode()
    assert not FileContent.objects.exists()


@pytest.mark.usefixtures("imported")
def test_a_confirmed_import_stores_the_files(anyone):
    files = served(anyone, "one")["files"]

    assert [file["path"] for file in files] == ["LICENSE", "logo.png", "scripts/run.py"]
    assert anyone.get(files[1]["url"]).content == FOLDER["one/logo.png"]


@pytest.mark.contract("17.10")
@pytest.mark.usefixtures("imported")
def test_a_preview_shows_what_becomes_of_each_file(admin_client, anyone):
    changed = {**FOLDER, "one/scripts/run.py": "print(1)\nprint(3)\n", "one/new.md": "x"}
    del changed["one/LICENSE"]
    before = served(anyone, "one")

    page = upload(admin_client, zip_of(changed))

    lines = diffs(page)
    assert list(lines) == ["LICENSE", "new.md", "scripts/run.py"]
    assert lines["LICENSE"] == []
    text = page.content.decode()
    assert "<b>LICENSE</b> removed" in text
    assert "<b>new.md</b> added" in text
    assert "<b>scripts/run.py</b> changed" in text
    assert '<span class="state state-recalled">removes 1 file</span>' in text
    assert '<p class="notice" role="note">Removes 1 file.</p>' in text
    assert "No findings." not in text
    assert ("add", "x") in lines["new.md"]
    assert ("del", "print(2)") in lines["scripts/run.py"]
    assert ("add", "print(3)") in lines["scripts/run.py"]
    assert ("same", "print(1)") in lines["scripts/run.py"]
    assert served(anyone, "one") == before
    confirm(admin_client)
    assert [file["path"] for file in served(anyone, "one")["files"]] == [
        *("logo.png", "new.md", "scripts/run.py")
    ]


@pytest.mark.usefixtures("imported")
def test_the_history_shows_which_files_changed(admin_client):
    upload(admin_client, zip_of({**FOLDER, "one/LICENSE": "Apache"}))
    confirm(admin_client)

    page = without_marks(admin_client.get(f"{SKILLS}{Skill.objects.get().pk}/history/"))

    assert '<span class="del">path: LICENSE, size: 3, digest: sha256:' in page
    assert '<span class="add">path: LICENSE, size: 6, digest: sha256:' in page


@pytest.mark.contract("17.4")
@pytest.mark.usefixtures("imported")
def test_an_earlier_version_is_restored_with_its_files(admin_client, anyone):
    before = served(anyone, "one")
    upload(admin_client, zip_of({**FOLDER, "one/LICENSE": "Apache", "one/new.md": "x"}))
    confirm(admin_client)
    skill = Skill.objects.get()

    restore = f"{SKILLS}{skill.pk}/versions/1/restore/"
    assert admin_client.post(restore, {"confirmed": "yes"}).status_code == 302

    after = served(anyone, "one")
    assert (after["files"], after["digest"]) == (before["files"], before["digest"])


def test_a_preview_compares_no_more_lines_than_it_has_room_for(admin_client, monkeypatch):
    monkeypatch.setattr(confirmed, "MAX_SHOWN", 10)

    page = upload(admin_client, zip_of({**FOLDER, "one/a.md": "12345678"}))

    lines = diffs(page, "created")
    assert ("add", "MIT") in lines["LICENSE"]
    assert ("add", "12345678") not in lines["a.md"]
    [(_, about)] = lines["a.md"]
    assert about.endswith(", text not shown")
    [(_, about)] = lines["logo.png"]
    assert about.endswith(", no text")


def test_a_preview_says_whose_texts_it_does_not_show(admin_client, monkeypatch):
    monkeypatch.setattr(imports, "MAX_ENTRIES", 1)
    sentence = "This page shows the texts of 1 entries. To read this one, import fewer at a time."

    one, two = ({f"{name}/SKILL.md": SKILL_MD.format(name)} for name in ("one", "two"))
    assert sentence not in upload(admin_client, zip_of(one)).content.decode()
    text = upload(admin_client, zip_of(one | two)).content.decode()

    assert text.count(sentence) == 1
    assert "Does one." in text
    assert "Does two." not in text


@pytest.mark.contract("17.10")
@pytest.mark.usefixtures("imported")
def test_importing_exported_folders_changes_nothing(admin_client, anyone):
    before = served(anyone, "one")
    response = admin_client.get(f"{SKILLS}export/")
    data = b"".join(response.streaming_content)

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: text if isinstance(text, bytes) else text.encode()
            for name, text in FOLDER.items()
        }
    assert list(outcomes(upload(admin_client, data))) == ["unchanged"]
    confirm(admin_client)
    assert served(anyone, "one") == before


def test_the_executable_bit_comes_back(admin_client, anyone):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one/SKILL.md", SKILL_MD.format("one"))
        script = zipfile.ZipInfo("one/run.sh")
        script.external_attr = 0o100755 << 16
        archive.writestr(script, "echo\n")
    upload(admin_client, packed.getvalue())
    confirm(admin_client)
    assert Skill.objects.get().files[0]["is_executable"]

    data = b"".join(admin_client.get(f"{SKILLS}export/").streaming_content)

    assert list(outcomes(upload(admin_client, data))) == ["unchanged"]


@pytest.mark.usefixtures("imported")
def test_a_skill_md_alone_leaves_the_files_as_they_are(admin_client, anyone):
    page = upload(admin_client, SKILL_MD.format("one") + "More.\n", name="SKILL.md")
    assert list(outcomes(page)) == ["updated"]
    confirm(admin_client)

    assert len(served(anyone, "one")["files"]) == 3


def test_the_preview_names_files_left_out(admin_client):
    left_out = {"one/.env": "x", "one/a.pyc": "x", "__MACOSX/one/._SKILL.md": "x"}

    page = upload(admin_client, zip_of({**FOLDER, **left_out}))

    [outcome] = page.context["outcomes"]["created"]
    assert [finding[1:] for finding in outcome.findings if finding.code == "left-out"] == [
        (".env", None, "it may hold secrets"),
        ("a.pyc", None, "a cache"),
    ]
    assert "<b>left-out</b> <span>.env: it may hold secrets</span>" in page.content.decode()


def test_so_many_findings_are_shown(admin_client):
    hidden = {f"one/.git{number:03}": "x" for number in range(600)}

    page = upload(admin_client, zip_of({**FOLDER, **hidden, "one/a.whl": b"PK\3\4\0"}))

    [outcome] = page.context["outcomes"]["created"]
    assert outcome.shown_findings[0].code == "unreadable-file"  # what is strict comes first
    assert page.content.decode().count("<b>left-out</b>") < 500
    assert f"These are the first 500 of {len(outcome.findings)}." in page.content.decode()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("aux.txt", "aux.txt is a name that Windows forbids"),
        ("scripts/RUN.py", "scripts/run.py and scripts/RUN.py differ in case only"),
        ("skill.md", "skill.md and SKILL.md differ in case only"),
        ("a" * 201, "a is longer than 200 bytes"),
    ],
)
def test_a_name_that_is_not_allowed_refuses_its_skill_alone(admin_client, name, reason):
    contents = {**FOLDER, f"one/{name}": "x", "two/SKILL.md": SKILL_MD.format("two")}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["two/SKILL.md"], "refused": ["one/SKILL.md"]}
    [refused] = page.context["outcomes"]["refused"]
    assert refused.reason.replace("a" * 50 + "…", "a") == reason


def test_too_many_files_refuse_the_skill(admin_client, monkeypatch):
    assert folders.MAX_FILES == 1000
    monkeypatch.setattr(folders, "MAX_FILES", 10)
    many = {f"one/{number}": "x" for number in range(8)}  # FOLDER has three beside its SKILL.md

    [refused] = upload(admin_client, zip_of({**FOLDER, **many})).context["outcomes"]["refused"]

    assert refused.reason.startswith("more than 10 files: ")
