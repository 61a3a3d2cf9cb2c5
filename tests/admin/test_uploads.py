"""Uploads that are refused: hostile zips, too many files, too much data"""

import io
import stat
import tracemalloc
import warnings
import zipfile
import zlib
from contextlib import suppress

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.frontmatter import Refused
from catalogue.models import Skill
from importing import members, zips
from importing.confirmed import ConfirmedSkillImporter
from importing.models import ImportRun
from infrastructure.server.sizes import MAX_UPLOAD
from marketplace.application import refuse_long_body
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


def damaged():
    data = zip_of({"one/SKILL.md": "x" * 99})
    start = data.index(b"SKILL.md") + len("SKILL.md")
    return data[:start] + b"\xff" + data[start + 1 :]


def twice(name):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr(name, "x")
        archive.writestr(name, "y")
    return packed.getvalue()


def with_version(number):
    """A zip that needs this version of the format."""
    data = bytearray(zip_of({"one/SKILL.md": "x"}))
    data[data.index(b"PK\1\2") + 6] = number
    return bytes(data)


HOSTILE = {
    "no zip": (b"PK nothing", "The file is not a readable zip."),
    "cut off": (zip_of({"one/SKILL.md": "x" * 999})[:60], "The file is not a readable zip."),
    "no end": (zip_of({"one/SKILL.md": "x"})[:-22], "The file is not a readable zip."),
    "wrong bytes": (damaged(), "a file that cannot be read: one/SKILL.md"),
    "a password": (encrypted(), "an encrypted file: one/SKILL.md"),
    "a rare compression": (
        zip_of({"one/SKILL.md": "x"}, compression=zipfile.ZIP_LZMA),
        "a file that is neither stored nor deflated: one/SKILL.md",
    ),
    "the same name twice": (twice("one/SKILL.md"), "a file twice: one/SKILL.md"),
    "a NUL": (
        zip_of({"one/SKILL.md\1.txt": "x"}).replace(b"\1.txt", b"\0.txt"),
        "a path that is not allowed: one/SKILL.md\ufffd.txt",
    ),
    "a name that is not UTF-8": (
        zip_of({"one/caf__.md": "x"}).replace(b"__", b"\xe9!"),
        "a name that is not UTF-8: one/caf\ufffd!.md",
    ),
    "an empty name": (zip_of({"one//SKILL.md": "x"}), "a path that is not allowed: one//SKILL.md"),
    "a long list": (
        zip_of({"one/x": b"PK\1\2" * 40_001}, compression=zipfile.ZIP_STORED),
        "The zip's list of its files is too long.",
    ),
    "an unknown feature": (with_version(99), "The file is not a readable zip."),
    "a path upwards": (zip_of({"../SKILL.md": "x"}), "a path that is not allowed: ../SKILL.md"),
    "a path upwards inside": (zip_of({"a/../../b.md": "x"}), "a path that is not allowed"),
    "an absolute path": (zip_of({"/etc/SKILL.md": "x"}), "a path that is not allowed"),
    "two separators": (
        zip_of({"a/b.md": "x", "a\\c.md": "x"}),
        "a path that is not allowed, with a backslash: a\\c.md",
    ),
    "a Windows path upwards": (zip_of({"..\\b.md": "x"}), "a path that is not allowed: ../b.md"),
    "a Windows drive": (zip_of({"C:\\b.md": "x"}), "a path that is not allowed: C:/b.md"),
    "a Windows root": (zip_of({"\\b.md": "x"}), "a path that is not allowed: /b.md"),
    "a drive": (zip_of({"C:/b.md": "x"}), "a path that is not allowed"),
    "a deep path": (zip_of({"a/" * 20 + "b.md": "x"}), "a path of more than 20 parts: a/a/a/a/"),
    "a long path": (
        zip_of({f"{'a' * 200}/{'b' * 197}.md": "x"}),
        "a path of more than 400 characters",
    ),
    "a long name": (zip_of({"a" * 300 + ".md": "x"}), "a file that cannot be read: aaa"),
    "a device": (special("one/SKILL.md", stat.S_IFCHR | 0o666), "a device: one/SKILL.md"),
    "a file as a folder": (
        zip_of({"a.md": "x", "a.md/b.md": "x"}),
        "a file that cannot be read: a.md/b.md",
    ),
}


@pytest.mark.contract("17.2")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_as_a_whole_in_one_sentence(admin_client, name):
    data, sentence = HOSTILE[name]

    page = upload(admin_client, data)

    assert sentence in refusal(page)
    assert not Skill.objects.exists()
    run = ImportRun.objects.get()
    assert (run.data, run.refused, run.refusals) == (None, 1, [["skills.zip", refusal(page)]])


def test_a_zip_bomb_is_not_unpacked(admin_client, monkeypatch):
    monkeypatch.setattr(members, "MAX_UNPACKED", 3 * 1024 * 1024)
    large = " " * 1024 * 1024
    bomb = zip_of({f"{number}/SKILL.md": large for number in range(5)})
    assert len(bomb) < 20_000

    assert (
        refusal(upload(admin_client, bomb))
        == "The upload unpacks to more than 3 MiB: 3/SKILL.md exceeds the limit."
    )


@pytest.mark.parametrize(
    ("files", "parts", "sentence"),
    [
        (100, 192, "The upload holds a path of more than 20 parts: 0/"),
        (300, 20, "The upload has more than 5,000 folders: that of 263/"),
    ],
)
def test_a_small_zip_makes_no_folder_if_it_would_make_many(tmp_path, files, parts, sentence):
    within = "/a" * (parts - 2)
    data = zip_of({f"{number}{within}/b": "" for number in range(files)})
    assert len(data) < 100_000

    with pytest.raises(Refused, match=sentence):
        zips.unzip(data, tmp_path)

    assert not list(tmp_path.iterdir())


def test_a_zip_may_have_twenty_parts_and_as_many_folders_as_files(tmp_path):
    within = "/a" * 18
    data = zip_of({f"{number}{within}/b": "" for number in range(5000 // 19)})

    zips.unzip(data, tmp_path)

    assert len([path for path in tmp_path.rglob("*") if path.is_dir()]) == 5000 // 19 * 19


def test_one_file_that_is_too_large_is_refused_alone(admin_client):
    contents = {"one/SKILL.md": SKILL_MD.format("one"), "large/SKILL.md": " " * 20 * 1024 * 1024}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["one/SKILL.md"], "refused": ["large/SKILL.md"]}
    assert page.context["outcomes"]["refused"][0].reason == "larger than 1024 KiB"


def test_a_zip_holds_at_most_so_many_entries_and_files(admin_client, monkeypatch):
    assert (zips.MAX_ENTRIES, members.MAX_MEMBERS) == (1000, 5000)
    monkeypatch.setattr(zips, "MAX_ENTRIES", 10)
    monkeypatch.setattr(members, "MAX_MEMBERS", 50)
    entries = {f"{number}.md": "---" for number in range(10, 20)}
    others = {f"{number}.png": "" for number in range(10, 50)}

    page = upload(admin_client, zip_of(entries | others), to=PERSONAS)
    assert len(outcomes(page)["refused"]) == 10

    page = upload(admin_client, zip_of(entries | others | {"50.png": ""}))
    assert refusal(page) == "The upload holds more than 50 files: 50.png is one too many."

    page = upload(admin_client, zip_of(entries | {"20.md": "---"}), to=PERSONAS)
    assert refusal(page) == "The upload holds more than 10 entries: 20.md is one too many."


def test_a_path_has_at_most_400_characters(admin_client):
    path = f"{'a' * 195}/{'b' * 195}/SKILL.md"

    page = upload(admin_client, zip_of({path: SKILL_MD.format("one")}))

    assert len(path) == 400
    assert outcomes(page) == {"created": [path]}


def test_a_list_of_many_names_does_not_fill_the_memory(admin_client):
    """The longest list that is read has 40,000 names of some characters; this is a quarter."""
    names = zip_of({f"{number:x}": "" for number in range(10_000)}, compression=zipfile.ZIP_STORED)
    tracemalloc.start()
    with pytest.raises(Refused, match="more than 5,000 files: 1388"):  # noqa: SIM117
        with zips.unpacked("a.zip", names, ConfirmedSkillImporter()):
            pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 16 * 1024 * 1024


def test_a_large_upload_is_refused(admin_client, monkeypatch):
    monkeypatch.setattr(zips, "MAX_UPLOAD", 1024 * 1024)

    assert refusal(upload(admin_client, b" " * (1024 * 1024 + 1))) == (
        "The file is larger than 1 MiB."
    )
    assert refusal(upload(admin_client, b" " * 1024 * 1024)) == "The file is not a readable zip."


@pytest.mark.parametrize("page", [f"{SKILLS}import/", "/admin/login/"])
def test_a_form_that_is_larger_than_an_upload_may_be_is_refused_unread(page):
    def body_of(length):
        environ = {"PATH_INFO": page, "CONTENT_LENGTH": str(length), "wsgi.input": io.BytesIO(b"x")}
        refuse_long_body(environ)
        return environ["wsgi.input"]

    assert body_of(MAX_UPLOAD).read() == b"x"
    with pytest.raises(RequestDataTooBig):
        body_of(MAX_UPLOAD + 1).read()


def test_another_kind_of_file_is_refused(admin_client):
    page = upload(admin_client, b"x", name="skills.rar")

    sentence = "Upload a Markdown file (.md), or a .zip, .skill or .tar.gz of them."
    assert refusal(page) == sentence


NO_SKILL_MD = (
    "The upload holds no SKILL.md. Put each skill into a folder of its own, as SKILL.md, or upload "
    "its file alone."
)


def test_several_lone_files_are_no_skills_and_the_refusal_says_what_to_do(admin_client):
    files = [SimpleUploadedFile(f"{name}.md", SKILL_MD.format(name).encode()) for name in "ab"]

    page = admin_client.post(f"{SKILLS}import/", {"file": files}, follow=True)

    assert refusal(page) == NO_SKILL_MD


def test_a_zip_without_what_is_looked_for_is_refused(admin_client):
    data = zip_of({"notes.md": "x", "a.png": "x"})
    assert refusal(upload(admin_client, data)) == NO_SKILL_MD

    data = zip_of({"README.md": "x", "one/SKILL.md": SKILL_MD.format("one")})
    assert refusal(upload(admin_client, data, to=PERSONAS)) == "The upload holds no persona file."


def test_a_name_in_an_extra_field_leads_nowhere(tmp_path):
    """From Python 3.12 on, zipfile reads it instead of the header's."""
    (tmp_path / "root").mkdir()

    with suppress(Refused):
        zips.unzip(renamed("one/a.txt", "../b.txt"), tmp_path / "root")

    assert not (tmp_path / "b.txt").exists()


def renamed(name, to):
    """A zip whose member has another name in its Unicode Path field (0x7075)."""
    member = zipfile.ZipInfo(name)
    path = b"\1" + zlib.crc32(name.encode()).to_bytes(4, "little") + to.encode()
    member.extra = b"\x75\x70" + len(path).to_bytes(2, "little") + path
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, "x")
    return packed.getvalue()


def test_too_many_files_at_once_are_refused_with_what_to_do(admin_client):
    files = [SimpleUploadedFile(f"{number}.md", b"x") for number in range(2001)]

    page = admin_client.post(f"{SKILLS}import/", {"file": files})

    assert page.status_code == 400
    assert (
        "You can drop up to 2,000 files at once. Put more of them into a zip file."
        in page.content.decode()
    )
