"""Archives that staff upload: links, and .skill and .tar.gz"""

import gzip
import io
import stat
import tarfile
import zipfile

import pytest

from catalogue.models import FileContent, Persona, Skill
from importing import tars
from tests.admin.files import PERSONAS, SKILL_MD, confirm, outcomes, refusal, upload, zip_of

FILES = {"repo-main/skills/one/SKILL.md": SKILL_MD.format("one"), "repo-main/AGENTS.md": "x"}
LINK = stat.S_IFLNK | 0o777


def zip_with_links(files, links):
    packed = io.BytesIO(zip_of(files))
    with zipfile.ZipFile(packed, "a") as archive:
        for name, target in links.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = LINK << 16
            archive.writestr(member, target)
    return packed.getvalue()


def tar_of(files, links=(), *members):
    """A .tar.gz with files, symbolic links, and other members as TarInfo."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            archive.addfile(member_of(name, size=len(data)), io.BytesIO(data))
        for name, target in dict(links).items():
            archive.addfile(member_of(name, type=tarfile.SYMTYPE, linkname=target))
        for member in members:
            archive.addfile(member)
    return packed.getvalue()


def member_of(name, **values):
    member = tarfile.TarInfo(name)
    for attribute, value in values.items():
        setattr(member, attribute, value)
    return member


PACKED = {
    "repo.zip": zip_with_links,
    "repo.skill": zip_with_links,
    "repo.tar.gz": tar_of,
    "REPO.TGZ": tar_of,
}


@pytest.mark.contract("23.10")
@pytest.mark.parametrize("name", PACKED)
def test_links_outside_of_every_skill_are_left_out_and_named(admin_client, name):
    links = {
        "repo-main/CLAUDE.md": "AGENTS.md",
        "repo-main/etc": "/etc",
        "repo-main/.claude/skills": "../skills",  # found anyway
    }

    page = upload(admin_client, PACKED[name](FILES, links), name=name)

    assert outcomes(page) == {"created": ["repo-main/skills/one/SKILL.md"]}
    reason = "a link outside of every skill"
    assert page.context["left_out"] == [
        ("repo-main/CLAUDE.md", reason),
        ("repo-main/etc", reason),
    ]
    assert "repo-main/CLAUDE.md" in page.content.decode()


@pytest.mark.contract("17.14", "23.10")
@pytest.mark.parametrize("name", PACKED)
def test_a_link_in_a_skill_is_copied_or_left_out(admin_client, name):
    files = {**FILES, "repo-main/skills/one/run.py": "print(1)\n", "repo-main/secret": "x"}
    below = "repo-main/skills/one"
    links = {
        f"{below}/a": "run.py",
        f"{below}/b": "a",
        f"{below}/out": "../../secret",
        f"{below}/passwd": "/etc/passwd",
        f"{below}/self": "self",
        f"{below}/up": ".",
        f"{below}/via": "up/../../../../etc/passwd",
    }

    upload(admin_client, PACKED[name](files, links), name=name)
    confirm(admin_client)

    assert [file["path"] for file in Skill.objects.get().files] == ["a", "b", "run.py"]
    assert FileContent.objects.filter(data=b"print(1)\n").count() == 1


def test_a_link_to_a_skill_md_is_no_second_entry(admin_client):
    links = {"repo-main/also/SKILL.md": "../skills/one/SKILL.md"}

    page = upload(admin_client, zip_with_links(FILES, links))

    assert list(outcomes(page)) == ["created"]
    assert len(page.context["outcomes"]["created"]) == 1


def test_a_skill_md_that_leads_nowhere_is_refused_alone(admin_client):
    links = {f"repo-main/{name}/SKILL.md": "SKILL.md" for name in "ab"}
    links |= {"repo-main/c/SKILL.md": "/etc/passwd"}

    page = upload(admin_client, zip_with_links(FILES, links))

    loop = "Too many levels of symbolic links"
    assert {outcome.path: outcome.reason for outcome in page.context["outcomes"]["refused"]} == {
        "repo-main/a/SKILL.md": loop,
        "repo-main/b/SKILL.md": loop,
        "repo-main/c/SKILL.md": "a symbolic link that leads outside the imported path",
    }
    assert len(page.context["outcomes"]["created"]) == 1


@pytest.mark.contract("23.10")
def test_backslashes_separate_names_if_no_slash_does(admin_client):
    data = {"one\\": "", "one\\SKILL.md": SKILL_MD.format("one"), "one\\docs\\caf\u00e9.txt": "x"}

    upload(admin_client, zip_of(data))

    assert confirm(admin_client).created == 1
    assert [file["path"] for file in Skill.objects.get(slug="one").files] == ["docs/caf\u00e9.txt"]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("below", ["out/evil", "OUT/evil"])
def test_nothing_is_written_through_a_link(admin_client, tmp_path, name, below):
    for links, files in [
        ({"out": str(tmp_path)}, {below: "x"}),
        ({"out": str(tmp_path), below: "x"}, {}),
    ]:
        page = upload(admin_client, PACKED[name]({**FILES, **files}, links), name=name)

        assert refusal(page) == f"The upload holds a file below a link: {below}"
    assert list(tmp_path.iterdir()) == []


def with_header(kind, size):
    """A .tar.gz whose first header announces attributes of this size."""
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, size
    return gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(2048))


PAX = {"size": "-512"}, {"size": "9" * 30}, {"size": "1000000000000"}, {"path": "../x"}
READABLE = "The file is not a readable .tar.gz."
HOSTILE = {
    "no gzip": (b"x", READABLE),
    "no tar": (gzip.compress(b"x" * 2000), READABLE),
    "cut off": (tar_of(FILES)[:-30], READABLE),
    "a path upwards": (tar_of({"../a.md": "x"}), "holds a path that is not allowed: ../a.md"),
    "an absolute path": (tar_of({"/etc/a.md": "x"}), "holds a path that is not allowed: /etc/a.md"),
    "a Windows path": (
        tar_of({"a\\b.md": "x"}),
        "holds a path that is not allowed, with a backslash: a\\b.md",
    ),
    "a deep path": (tar_of({"a/" * 20 + "b": "x"}), "holds a path of more than 20 parts: a/a/"),
    "a name twice": (tar_of({"a": "x", "./a": "y"}), "holds a file twice: a"),
    "two names that become one": (
        tar_of({"caf\u00e9": "x", "cafe\u0301": "y"}),
        "holds a file twice: caf\u00e9",
    ),
    "a name that is not UTF-8": (
        tar_of({"caf\udce9.md": "x"}),
        "holds a name that is not UTF-8: caf\ufffd.md",
    ),
    "a device": (
        tar_of(FILES, {}, member_of("null", type=tarfile.CHRTYPE)),
        "holds a device or a sparse file: null",
    ),
    "a pipe": (
        tar_of(FILES, {}, member_of("pipe", type=tarfile.FIFOTYPE)),
        "holds a device or a sparse file: pipe",
    ),
    "a sparse file": (
        tar_of(FILES, {}, member_of("holes", pax_headers={"GNU.sparse.size": "99999999999"})),
        "holds a device or a sparse file: holes",
    ),
    "a file as a folder": (tar_of({"a": "x", "a/b": "x"}), "a file that cannot be read: a/b"),
    "a long name": (tar_of({"a" * 300: "x"}), "a file that cannot be read: aaa"),
    "large attributes": (
        with_header(tarfile.XHDTYPE, 10**9),
        "The upload holds a header of more than 64 KiB.",
    ),
    "a longer name": (
        with_header(tarfile.GNUTYPE_LONGNAME, 2**33),
        "The upload holds a header of more than 64 KiB.",
    ),
}


@pytest.mark.contract("23.10")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_tar_is_refused_as_a_whole_in_one_sentence(admin_client, name):
    data, sentence = HOSTILE[name]

    page = upload(admin_client, data, name="skills.tar.gz")

    assert sentence in refusal(page)
    assert not Skill.objects.exists()


@pytest.mark.parametrize("headers", PAX)
def test_attributes_that_lie_are_refused(admin_client, headers):
    data = tar_of(FILES, {}, member_of("x", pax_headers=headers))

    assert refusal(upload(admin_client, data, name="skills.tar.gz")).startswith("The ")


def test_a_tar_bomb_is_not_unpacked(admin_client, monkeypatch):
    monkeypatch.setattr(tars, "MAX_TAR", 3 * 1024 * 1024)

    page = upload(admin_client, tar_of({"one/SKILL.md": bytes(4 * 1024 * 1024)}), name="a.tgz")

    assert refusal(page) == "The upload unpacks to more than 50 MiB."


def test_too_many_members_of_a_tar_are_refused(admin_client):
    page = upload(admin_client, tar_of({f"{number}": "" for number in range(5001)}), name="a.tgz")

    assert refusal(page) == "The upload holds more than 5,000 files: 5000 is one too many."


def test_a_tar_keeps_executable_bits_and_takes_a_hard_link_for_a_copy(admin_client):
    files = {"./one/SKILL.md": SKILL_MD.format("one"), "./one/a.sh": "echo\n"}
    link = member_of("./one/sub/b.sh", type=tarfile.LNKTYPE, linkname="./one/a.sh")
    folder = member_of("./", type=tarfile.DIRTYPE)
    script = member_of("./one/run", mode=0o755)

    upload(admin_client, tar_of(files, {}, folder, link, script), name="one.tar.gz")
    confirm(admin_client)

    files = {file["path"]: file["is_executable"] for file in Skill.objects.get().files}
    assert files == {"a.sh": False, "run": True, "sub/b.sh": False}


@pytest.mark.contract("23.10")
def test_a_file_may_end_in_markdown(admin_client):
    page = upload(admin_client, SKILL_MD.format("one"), name="One.MARKDOWN")

    assert outcomes(page) == {"created": ["SKILL.md"]}


@pytest.mark.contract("23.2")
def test_the_personas_of_a_plugins_repository_are_those_of_the_command(admin_client):
    files = {
        "plugin/agents/security.md": SKILL_MD.format("security"),
        "plugin/CLAUDE.md": SKILL_MD.format("claude"),
        "plugin/skills/one/SKILL.md": SKILL_MD.format("one"),
        "plugin/skills/one/agents/grader.md": SKILL_MD.format("grader"),
    }

    page = upload(admin_client, zip_of(files), to=PERSONAS)

    assert outcomes(page) == {"created": ["plugin/agents/security.md"]}
    assert not Persona.objects.exists()
