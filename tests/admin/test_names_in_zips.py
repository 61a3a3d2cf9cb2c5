"""Names in the zips that staff upload, in several encodings."""

import io
import zipfile
import zlib

import pytest

from catalogue.models import Skill
from importing import zips
from importing.confirmed import ConfirmedSkillImporter
from tests.admin.files import SKILL_MD, confirm, refusal, upload, zip_of


def named(raw, *, system=3, flag=0, extra=b""):
    """A zip with a skill and a file, whose name is these bytes."""
    packed = io.BytesIO()
    member = zipfile.ZipInfo("one/" + "_" * len(raw))
    member.create_system, member.extra = system, extra
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one/SKILL.md", SKILL_MD.format("one"))
        archive.writestr(member, "x")
    data = bytearray(packed.getvalue().replace(b"_" * len(raw), raw))
    for place in (data.rindex(b"PK\3\4") + 7, data.rindex(b"PK\1\2") + 9):
        data[place] |= flag >> 8
    return bytes(data)


def unicode_path(name, *, of):
    value = b"\1" + zlib.crc32(of).to_bytes(4, "little") + name.encode()
    return b"\x75\x70" + len(value).to_bytes(2, "little") + value


NAMES = {
    "UTF-8 by its flag": (named("é".encode(), flag=0x800), "é"),
    "UTF-8 without a flag": (named("é".encode()), "é"),
    "UTF-8 of Windows without a flag": (named("é".encode(), system=0), "é"),
    "cp437 of Windows": (named(b"caf\x82", system=0), "café"),
    "decomposed": (named("e\u0301".encode()), "é"),
    "a Unicode path": (named(b"??", extra=unicode_path("one/é", of=b"one/??")), "é"),
    "of another name": (named(b"aa", extra=unicode_path("one/é", of=b"one/bb")), "aa"),
}


@pytest.mark.contract("23.10")
@pytest.mark.parametrize("name", NAMES)
def test_a_zip_may_name_files_in_several_encodings(name):
    data, expected = NAMES[name]

    with zips.unpacked("a.zip", data, ConfirmedSkillImporter()) as root:
        files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert files == {"one/SKILL.md", f"one/{expected}"}


@pytest.mark.contract("23.10")
def test_an_uploaded_file_has_the_name_that_its_zip_says(admin_client):
    data, expected = NAMES["cp437 of Windows"]

    upload(admin_client, data)
    confirm(admin_client)

    assert [file["path"] for file in Skill.objects.get().files] == [expected]


def test_two_names_of_a_zip_that_become_one_are_refused(admin_client):
    page = upload(admin_client, zip_of({"caf\u00e9": "x", "cafe\u0301": "x"}))

    assert refusal(page) == "The upload holds a file twice: café"
