"""Uploads that are refused: hostile zips, too many files, too much data"""

import io
import stat
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.importing import uploads
from catalogue.models import ImportRun, Skill
from marketplace.adminsite import uploads as upload_handler
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, outcomes, refusal, upload, zip_of


def special(name, mode):
    member = zipfile.ZipInfo(name)
    member.external_attr = mode << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, "/etc/passwd")
    return packed.getvalue()


def encrypted():
    data = bytearray(zip_of({"one/SKILL.md": "x"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


HOSTILE = {
    "no zip": (b"PK nothing", "The file is no zip that can be read."),
    "cut off": (zip_of({"one/SKILL.md": "x" * 999})[:60], "The file is no zip that can be read."),
    "a password": (encrypted(), "The file is no zip that can be read."),
    "a path upwards": (zip_of({"../SKILL.md": "x"}), "a path that is not allowed: ../SKILL.md"),
    "a path upwards inside": (zip_of({"a/../../b.md": "x"}), "a path that is not allowed"),
    "an absolute path": (zip_of({"/etc/SKILL.md": "x"}), "a path that is not allowed"),
    "a Windows path": (zip_of({"a\\b.md": "x"}), "a path that is not allowed"),
    "a drive": (zip_of({"C:/b.md": "x"}), "a path that is not allowed"),
    "a long path": (zip_of({"a" * 401 + ".md": "x"}), "a path that is not allowed"),
    "a link": (special("one/SKILL.md", stat.S_IFLNK | 0o777), "a link or a device"),
    "a device": (special("one/SKILL.md", stat.S_IFCHR | 0o666), "a link or a device"),
    "a file as a folder": (zip_of({"a.md": "x", "a.md/b.md": "x"}), "cannot be read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_as_a_whole_in_one_sentence(admin_client, name):
    data, sentence = HOSTILE[name]

    page = upload(admin_client, data)

    assert sentence in refusal(page)
    assert not Skill.objects.exists()
    run = ImportRun.objects.get()
    assert (run.data, run.refused, run.refusals) == (None, 1, [["skills.zip", refusal(page)]])


def test_a_zip_bomb_is_not_unpacked(admin_client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_UNPACKED", 3 * 1024 * 1024)
    large = " " * 1024 * 1024
    bomb = zip_of({f"{number}/SKILL.md": large for number in range(5)})
    assert len(bomb) < 20_000

    assert refusal(upload(admin_client, bomb)) == "The zip unpacks to more than 3 MiB."


def test_one_file_that_is_too_large_is_refused_alone(admin_client):
    contents = {"one/SKILL.md": SKILL_MD.format("one"), "large/SKILL.md": " " * 20 * 1024 * 1024}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["one/SKILL.md"], "refused": ["large/SKILL.md"]}
    assert page.context["outcomes"]["refused"][0].reason == "larger than 1024 KiB"


def test_too_many_files_are_refused(admin_client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_FILES", 2)
    page = upload(admin_client, zip_of({f"{n}/SKILL.md": SKILL_MD.format(n) for n in range(3)}))
    assert refusal(page) == "The zip holds more than 2 Markdown files."

    monkeypatch.setattr(uploads, "MAX_MEMBERS", 3)
    page = upload(admin_client, zip_of({f"{number}.png": "" for number in range(4)}))
    assert refusal(page) == "The zip holds more than 3 files."


def test_a_large_upload_is_refused(admin_client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_UPLOAD", 1024 * 1024)

    page = upload(admin_client, b" " * (1024 * 1024 + 1))

    assert refusal(page) == "The file is larger than 1 MiB."


def test_an_endless_upload_is_cut_off_on_any_page(admin_client, anyone, monkeypatch):
    monkeypatch.setattr(upload_handler, "MAX_BYTES", 1024 * 1024)
    data = SimpleUploadedFile("skills.zip", b" " * 2 * 1024 * 1024)

    assert admin_client.post(f"{SKILLS}import/", {"file": data}).status_code == 400
    assert not ImportRun.objects.exists()


def test_another_kind_of_file_is_refused(admin_client):
    page = upload(admin_client, b"x", name="skills.tar.gz")

    assert refusal(page) == "Upload a Markdown file (.md) or a zip of them."


def test_a_zip_without_what_is_looked_for_is_refused(admin_client):
    data = zip_of({"notes.md": "x", "a.png": "x"})
    assert refusal(upload(admin_client, data)) == "The zip holds no SKILL.md."

    data = zip_of({"README.md": "x", "one/SKILL.md": SKILL_MD.format("one")})
    assert refusal(upload(admin_client, data, to=PERSONAS)) == "The zip holds no persona file."
