"""Reading the versions of an entry: all of them, and one (contract 25)."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone

from catalogue.models import Persona
from marketplace.api.fields import timestamp
from tests.api.versions import ONE, persona_with_versions, rewrite, skill_with_versions

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/api/v1/skills/pdf-tables/versions"
PERSONA_URL = "/api/v1/personas/archivist/versions"


@pytest.fixture
def skill():
    return skill_with_versions()


@pytest.fixture
def persona():
    return persona_with_versions()


def as_listed(version, **values):
    return {
        "number": version.number,
        "version": version.version,
        "digest": version.digest,
        "contextTokens": version.context_tokens,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
        "recall": None,
        **values,
    }


@pytest.mark.contract("25.3")
def test_versions_are_listed_newest_first(anyone, skill):
    two, one = skill.versions.all()

    response = anyone.get(URL)

    assert response.status_code == 200
    assert response.json() == {
        "results": [as_listed(two, isCurrent=True), as_listed(one)],
        "count": 2,
        "next": None,
        "previous": None,
    }
    assert (one.version, two.version) == ("1.0", "2.0")
    first = anyone.get(URL, {"limit": 1}).json()
    assert first["results"] == [as_listed(two, isCurrent=True)]
    assert anyone.get(first["next"]).json()["results"] == [as_listed(one)]


def test_a_list_is_as_fresh_as_its_entry(anyone, skill):
    etag = anyone.get(URL)["ETag"]
    assert anyone.get(URL, headers={"If-None-Match": etag}).status_code == 304

    rewrite(skill, "Three.")
    assert [row["isCurrent"] for row in anyone.get(URL).json()["results"]] == [True, False, False]
    skill.withdraw()

    response = anyone.get(URL)
    assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})
    assert anyone.get(f"{URL}/1").json() == {"error": "Skill not found"}


@pytest.mark.contract("25.4")
def test_one_version_has_its_text_and_files(anyone, skill):
    version = skill.versions.get(number=1)
    [file] = version.files

    response = anyone.get(f"{URL}/1")

    assert response.status_code == 200
    assert response.json() == {
        "slug": "pdf-tables",
        "number": 1,
        "version": "1.0",
        "title": "PDF",
        "description": "Extracts tables.",
        "digest": version.digest,
        "content": ONE,
        "contextTokens": version.context_tokens,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
        "files": [
            {
                "path": "scripts/run.py",
                "size": 9,
                "digest": file["digest"],
                "url": f"http://testserver{URL}/1/files/scripts/run.py",
                "mediaType": "text/plain",
            }
        ],
    }
    assert response["Cache-Control"] == "public, no-cache"
    again = anyone.get(f"{URL}/1", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_one_version_of_a_persona_has_its_prompt(anyone, persona):
    version = persona.versions.get(number=1)

    response = anyone.get(f"{PERSONA_URL}/1")

    assert response.status_code == 200
    assert response.json() == {
        "slug": "archivist",
        "number": 1,
        "version": "",
        "title": persona.title,
        "description": persona.description,
        "digest": version.digest,
        "content": "You are one.",
        "frontmatter": None,
        "tools": None,
        "contextTokens": 3,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
    }


@pytest.mark.contract("25.4")
def test_the_bytes_of_a_version_stay_the_same(anyone, skill):
    paths = [f"{URL}/1/SKILL.md", f"{URL}/1/files/scripts/run.py", f"{URL}/1/archive.zip"]
    before = [b"".join(anyone.get(path)) for path in paths]

    skill.slug = "renamed"
    rewrite(skill, "Three.", title="Other", files=[])

    renamed = [path.replace("pdf-tables", "renamed") for path in paths]
    responses = [anyone.get(path) for path in renamed]
    assert [response.content for response in responses] == before
    assert [response["Content-Type"] for response in responses] == [
        "text/markdown; charset=utf-8",
        "text/plain; charset=utf-8",
        "application/zip",
    ]
    assert before[:2] == [ONE.encode(), b"print(1)\n"]
    with ZipFile(BytesIO(before[2])) as archive:
        assert archive.namelist() == ["SKILL.md", "scripts/run.py"]
        assert archive.read("SKILL.md").decode() == ONE
    for response in responses:
        assert "immutable" not in response["Cache-Control"]
        assert response["ETag"]


@pytest.mark.contract("25.4")
def test_the_prompt_of_a_priced_persona_is_in_no_version(anyone, persona):
    assert anyone.get(f"{PERSONA_URL}/1").json()["content"] == "You are one."

    Persona.objects.filter(pk=persona.pk).update(price_cents=500)

    version = anyone.get(f"{PERSONA_URL}/1").json()
    assert (version["content"], version["number"]) == (None, 1)


@pytest.mark.contract("25.5")
@pytest.mark.usefixtures("skill")
def test_an_unknown_version_is_not_found(anyone, subtests):
    for number in ["0", "3", "01", "-1", "1.0", "one", "%00", "٣", "9" * 30]:
        for below in ["", "/SKILL.md", "/archive.zip", "/files/scripts/run.py"]:
            with subtests.test(number + below):
                response = anyone.get(f"{URL}/{number}{below}")

                assert response.status_code == 404
                assert response.json() == {"error": "Version not found"}


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/api/v1/skills/no-such/versions", "Skill not found"),
        ("/api/v1/skills/no-such/versions/1", "Skill not found"),
        ("/api/v1/skills/No.Slug/versions/x", "Skill not found"),
        ("/api/v1/personas/no-such/versions", "Persona not found"),
        ("/api/v1/personas/no-such/versions/1", "Persona not found"),
        (f"{URL}/1/files/other.py", "File not found"),
    ],
)
@pytest.mark.usefixtures("skill")
def test_versions_of_an_unknown_entry_are_not_found(anyone, path, error):
    response = anyone.get(path)

    assert (response.status_code, response.json()) == (404, {"error": error})


@pytest.mark.contract("25.5")
def test_a_recalled_version_is_listed_and_cannot_be_read(anyone, skill):
    assert anyone.get(f"{URL}/1").status_code == 200
    at = timezone.now()
    skill.versions.filter(number=1).update(recalled_at=at, recall_reason="It deletes files.")

    recall = {"reason": "It deletes files.", "at": timestamp(at)}
    assert anyone.get(URL).json()["results"][1]["recall"] == recall
    for below in ("", "/SKILL.md", "/archive.zip", "/files/scripts/run.py"):
        response = anyone.get(f"{URL}/1{below}")
        assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
    assert anyone.get(f"{URL}/2").status_code == 200
