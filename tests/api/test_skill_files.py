"""A skill's files: in its detail, separately, and as a zip (contract 17)."""

import io
import zipfile
from hashlib import sha256
from urllib.parse import quote

import pytest

from catalogue.models import Skill
from tests.api.concurrency import during
from tests.factories import SkillFactory
from tests.imports import import_skills, served, skill, write

pytestmark = pytest.mark.django_db
URL = "/api/v1/skills/pdf"
FILES = {
    "Z.bin": b"\0\1",
    "a b.html": b"<script>alert(1)</script>",
    "références/é&+#.md": "# Hé\r\n".encode(),
    "scripts/run.py": b"print(1)\n",
}
SKILL_MD = "---\nname: pdf\ndescription: Reads.\n---\n\nDo it.\n"
HOST = "http://testserver"


def hexdigest(data):
    return sha256(data).hexdigest()


@pytest.fixture
def folder(tmp_path):
    """A skill's folder with FILES, one of them executable."""
    skill(tmp_path / "pdf", "name: pdf", "description: Reads.")
    for path, data in FILES.items():
        write(tmp_path / "pdf" / path, data)
    (tmp_path / "pdf" / "scripts" / "run.py").chmod(0o755)
    return tmp_path / "pdf"


@pytest.fixture
def imported(folder):
    import_skills(folder)


def url_of(path):
    return f"{URL}/files/{quote(path)}"


@pytest.mark.contract("8.10", "17.5", "17.6", "17.11")
@pytest.mark.usefixtures("imported")
def test_the_detail_lists_the_files_by_path(anyone):
    def file_row(path, media_type):
        digest = f"sha256:{hexdigest(FILES[path])}"
        return {
            "path": path,
            "size": len(FILES[path]),
            "digest": digest,
            "mediaType": media_type,
            "url": f"{HOST}{url_of(path)}?digest={digest}",
        }

    detail = served(anyone, "pdf")

    assert detail["files"] == [
        file_row("Z.bin", "application/octet-stream"),
        file_row("a b.html", "text/plain"),
        file_row("références/é&+#.md", "text/plain"),
        file_row("scripts/run.py", "text/plain"),
    ]
    assert detail["content"] == SKILL_MD
    assert detail["contextTokens"] == -(-len(SKILL_MD) // 4)


@pytest.mark.contract("16.2")
@pytest.mark.usefixtures("imported")
def test_the_digest_is_of_the_lines_that_sha256sum_writes(anyone):
    listed = sorted({"SKILL.md": SKILL_MD.encode(), **FILES}.items(), key=lambda f: f[0].encode())
    lines = "".join(
        f"{hexdigest(data)} {'*' if path == 'scripts/run.py' else ' '}{path}\n"
        for path, data in listed
    )

    assert served(anyone, "pdf")["digest"] == f"sha256:{hexdigest(lines.encode())}"
    [row] = anyone.get("/api/v1/skills").json()["results"]
    assert row["digest"] == f"sha256:{hexdigest(lines.encode())}"
    assert "files" not in row


@pytest.mark.contract("17.6", "17.7")
@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("path", FILES)
def test_a_file_is_served_byte_for_byte_to_be_stored(anyone, path):
    [file] = [file for file in served(anyone, "pdf")["files"] if file["path"] == path]

    response = anyone.get(file["url"].removeprefix(HOST))

    assert (response.status_code, response.content) == (200, FILES[path])
    headers = response.headers
    assert headers["Content-Type"].partition(";")[0] == file["mediaType"]
    assert headers["Content-Disposition"].startswith("attachment; filename")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["ETag"] == f'"{file["digest"]}"'
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.contract("17.7")
@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("url", [url_of("Z.bin"), f"{URL}/archive.zip"])
def test_without_a_digest_it_is_revalidated_and_has_no_body_to_head(anyone, url):
    response = anyone.get(url)
    assert response.headers["Cache-Control"] == "public, no-cache"

    unchanged = anyone.get(url, headers={"If-None-Match": response.headers["ETag"]})
    head = anyone.head(url)

    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["ETag"] == response.headers["ETag"]
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(response.content))


@pytest.mark.contract("17.7")
@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize(
    "path",
    [
        *("none", "SKILL.md", "z.bin", "scripts", "scripts/none", "../pdf", "./Z.bin", "Z.bin/x"),
        *("%00", "%2e%2e/pdf", "Z.bin%3Fdigest=1", "scripts%2Fnone", "%C3%A9", "a" * 5000),
        *(f"Z.bin?digest=sha256:{'0' * 64}", "Z.bin?digest=", "Z.bin?digest=1&digest=2"),
        f"scripts/run.py?digest=sha256:{hexdigest(FILES['Z.bin'])}",
    ],
)
def test_a_path_or_a_digest_that_it_does_not_have_is_not_found(anyone, path):
    response = anyone.get(f"{URL}/files/{path}")

    assert (response.status_code, response.json()) == (404, {"error": "File not found"})


def test_the_files_of_an_unknown_skill_are_not_found(anyone):
    for path in ("files/Z.bin", "archive.zip"):
        response = anyone.get(f"{URL}/{path}")

        assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})


@pytest.mark.contract("17.7")
@pytest.mark.usefixtures("imported")
def test_the_files_of_a_withdrawn_skill_are_not_found(anyone):
    urls = [f"{url_of('Z.bin')}?digest=sha256:{hexdigest(FILES['Z.bin'])}", f"{URL}/archive.zip"]
    assert [anyone.get(url).status_code for url in urls] == [200, 200]
    Skill.objects.get().withdraw()

    for url in urls:
        response = anyone.get(url)

        assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})


@pytest.mark.contract("17.7")
@pytest.mark.usefixtures("imported")
def test_a_changed_file_ends_its_old_digest(anyone, folder):
    [old, *_] = served(anyone, "pdf")["files"]
    write(folder / "Z.bin", b"other")
    import_skills(folder)

    response = anyone.get(old["url"].removeprefix(HOST))

    assert (response.status_code, response.json()) == (404, {"error": "File not found"})
    assert anyone.get(url_of("Z.bin")).content == b"other"
    [new, *_] = served(anyone, "pdf")["files"]
    assert new["size"] == 5


@pytest.mark.contract("17.1", "17.8")
@pytest.mark.usefixtures("imported")
def test_the_archive_holds_the_folder(anyone):
    response = anyone.get(f"{URL}/archive.zip")

    assert response.headers["Content-Type"] == "application/zip"
    assert response.headers["Content-Disposition"] == 'attachment; filename="pdf.zip"'
    assert response.headers["ETag"] == f'"{served(anyone, "pdf")["digest"]}"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        members = archive.infolist()
        assert [member.filename for member in members] == ["SKILL.md", *FILES]
        assert archive.read("SKILL.md").decode() == SKILL_MD
        assert {path: archive.read(path) for path in FILES} == FILES
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}
    assert {member.compress_type for member in members} == {zipfile.ZIP_STORED}
    assert [oct(member.external_attr >> 16) for member in members] == [
        *["0o100644"] * 4,
        "0o100755",
    ]


@pytest.mark.contract("17.8")
@pytest.mark.usefixtures("imported")
def test_the_archive_has_the_same_bytes_on_every_machine(anyone):
    """Computed once, by Python 3.11 on Linux."""
    archive = anyone.get(f"{URL}/archive.zip").content

    assert hexdigest(archive) == (
        "7ba41d50e8e01311494d3e39f4376aa7a0ec12a1ae0e7470f69fc9f29813d6c7"
    )
    assert Skill.objects.get().archive_digest == f"sha256:{hexdigest(archive)}"


@pytest.mark.contract("17.8")
def test_a_skill_without_files_has_an_archive_too(anyone, tmp_path):
    skill(tmp_path / "pdf", "name: pdf", "description: Reads.")
    import_skills(tmp_path)

    with zipfile.ZipFile(io.BytesIO(anyone.get(f"{URL}/archive.zip").content)) as archive:
        assert archive.namelist() == ["SKILL.md"]
    detail = served(anyone, "pdf")
    assert detail["files"] == []
    assert detail["digest"] == f"sha256:{hexdigest(SKILL_MD.encode())}"


@pytest.mark.usefixtures("imported")
def test_lists_and_details_read_no_contents(anyone, django_assert_num_queries):
    with django_assert_num_queries(1) as queries:
        served(anyone, "pdf")
    assert "filecontent" not in queries.captured_queries[0]["sql"]

    with django_assert_num_queries(2):
        assert anyone.get(url_of("Z.bin")).status_code == 200
    with django_assert_num_queries(2):
        assert anyone.get(f"{URL}/archive.zip").status_code == 200
    with django_assert_num_queries(1):
        etag = f'"{served_digest("Z.bin")}"'
        assert anyone.get(url_of("Z.bin"), headers={"If-None-Match": etag}).status_code == 304


def served_digest(path):
    return f"sha256:{hexdigest(FILES[path])}"


@pytest.mark.usefixtures("downloads")
def test_an_archive_is_read_a_mebibyte_at_a_time(anyone, django_assert_num_queries):
    SkillFactory(slug="pdf", files={name: name.encode() * 600_000 for name in "abc"})

    with django_assert_num_queries(1 + 3):
        assert len(anyone.get(f"{URL}/archive.zip").content) > 1_800_000


@pytest.mark.contract("13.4")
@pytest.mark.usefixtures("imported")
def test_the_manifest_lists_them(client, agent, anyone):
    client.post("/api/v1/agents/me/skills/install", {"slug": "pdf"})

    [row] = client.get("/api/v1/agents/me/manifest").json()["skills"]

    files = served(anyone, "pdf")["files"]
    assert row["files"] == [
        {name: file[name] for name in ("path", "size", "digest", "url")} for file in files
    ]


def test_a_text_and_files_that_are_saved_at_once_make_the_archive_of_both(transactional_db, anyone):
    skill = SkillFactory(slug="pdf", content=SKILL_MD, files={"a.md": b"a", "b.md": b"b"})
    other = Skill.objects.get()

    def edit():
        skill.content = SKILL_MD + "More.\n"
        skill.save(update_fields=["content", "updated_at"])

    def remove():
        other.files = other.files[:1]
        other.save(update_fields=["files", "updated_at"])

    during(edit, remove)

    archive = anyone.get(f"{URL}/archive.zip").content
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        assert members.namelist() == ["SKILL.md", "a.md"]
        assert members.read("SKILL.md").endswith(b"More.\n")
    assert Skill.objects.get().archive_digest == f"sha256:{hexdigest(archive)}"
