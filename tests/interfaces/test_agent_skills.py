"""Agent Skills discovery: the indexes, and the SKILL.md files that they name."""

import hashlib

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from infrastructure.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.skill_files import INDEX, file_of

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
UNPAID = "This persona requires payment. Agent API currently supports free personas only."
CONTENT = "---\nname: pdf-tables\n---\n\n# Tables\n\n---\n\nRead them.\n"
SERVED = CONTENT.replace("tables\n", "tables\ndescription: Extracts tables.\n", 1)


@pytest.fixture
def skill(db):
    return SkillFactory(
        slug="pdf-tables",
        title="PDF tables",
        description="Extracts tables.",
        category="data",
        tags=["pdf", "csv"],
        version="1.10",
        license="MIT",
        content=CONTENT,
    )


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def listed(slug, description, content):
    return {
        "name": slug,
        "type": "skill-md",
        "description": description,
        "url": f"/api/v1/skills/{slug}/SKILL.md",
        "digest": digest(content),
    }


def test_a_skill_is_served_with_the_description_of_the_catalogue(anyone, skill):
    response = anyone.get("/api/v1/skills/pdf-tables/SKILL.md")

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert response.content.decode() == SERVED


@pytest.mark.contract("22.14")
def test_an_index_shortens_a_description_to_what_the_cli_takes(anyone):
    SkillFactory(slug="some", content=f"---\nname: some\ndescription: {'x' * 2000}\n---\nDo.")

    (entry,) = anyone.get(f"/skills/some{INDEX}").json()["skills"]

    assert entry["description"] == "x" * 1024


@pytest.mark.contract("22.14")
def test_a_skill_has_an_index_of_its_own(anyone, skill):
    response = anyone.get(f"/skills/pdf-tables{INDEX}")

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {
        "$schema": SCHEMA,
        "skills": [listed("pdf-tables", "Extracts tables.", SERVED.encode())],
    }


@pytest.mark.contract("22.14")
def test_the_index_of_the_marketplace_holds_its_own_skill_alone(anyone, skill):
    served = anyone.get("/skill.md").content

    (entry,) = anyone.get(INDEX).json()["skills"]

    assert entry["name"] == "agent-marketplace"
    assert "http://testserver" in entry["description"]
    assert (entry["type"], entry["url"]) == ("skill-md", "/skill.md")
    assert entry["digest"] == digest(served)


@pytest.mark.contract("22.14")
def test_a_persona_lists_the_published_skills_that_it_bundles(anyone, skill):
    other = SkillFactory(slug="csv-cleaning", description="")
    hidden = SkillFactory(status="withdrawn")
    PersonaFactory(slug="archivist", skills=[skill, other, hidden])

    response = anyone.get(f"/personas/archivist{INDEX}")

    assert response.status_code == 200
    assert response.json() == {
        "$schema": SCHEMA,
        "skills": [
            listed("csv-cleaning", other.title, file_of(anyone, "csv-cleaning").encode()),
            listed("pdf-tables", "Extracts tables.", SERVED.encode()),
        ],
    }


def test_a_persona_without_skills_has_an_empty_index(anyone):
    PersonaFactory(slug="archivist")

    response = anyone.get(f"/personas/archivist{INDEX}")

    assert (response.status_code, response.json()) == (200, {"$schema": SCHEMA, "skills": []})


@pytest.mark.contract("22.14")
def test_the_index_of_a_priced_persona_is_refused(anyone, skill):
    PersonaFactory(slug="bookkeeper", skills=[skill], price_cents=500)

    response = anyone.get(f"/personas/bookkeeper{INDEX}")

    assert response.status_code == 402
    assert response.json() == {"error": UNPAID}


@pytest.mark.parametrize("has_skills", [True, False])
@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"price_cents": 1}, 402, UNPAID),
        ({"status": "withdrawn"}, 404, "Persona not found"),
    ],
)
def test_a_cached_index_is_stale_once_the_persona_is_priced_or_withdrawn(
    anyone, skill, has_skills, change, status, error
):
    PersonaFactory(slug="archivist", skills=[skill] if has_skills else [])
    assert anyone.get(f"/personas/archivist{INDEX}").status_code == 200

    Persona.objects.update(**change)

    response = anyone.get(f"/personas/archivist{INDEX}")
    assert (response.status_code, response.json()) == (status, {"error": error})


@pytest.mark.parametrize("slug", ["none", "No.Slug", "a%00b", "draft"])
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/skills/{}" + INDEX, "Skill not found"),
        ("/api/v1/skills/{}/SKILL.md", "Skill not found"),
        ("/personas/{}" + INDEX, "Persona not found"),
    ],
)
def test_an_unknown_slug_is_a_404_in_json(anyone, path, error, slug):
    SkillFactory(slug="draft", status="draft")
    PersonaFactory(slug="draft", status="draft")

    response = anyone.get(path.format(slug))

    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {"error": error}


PATHS = [
    INDEX,
    f"/skills/pdf-tables{INDEX}",
    f"/personas/archivist{INDEX}",
    "/api/v1/skills/pdf-tables/SKILL.md",
]


@pytest.mark.parametrize("path", PATHS)
def test_responses_have_an_etag_and_are_never_redirected(anyone, skill, path):
    PersonaFactory(slug="archivist", skills=[skill])
    first = anyone.get(path)

    again = [anyone.get(path), anyone.get(f"{path}/"), anyone.head(path)]
    revalidated = anyone.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert [response.status_code for response in [first, *again]] == [200] * 4
    assert {response.headers["ETag"] for response in again} == {first.headers["ETag"]}
    assert first.headers["Cache-Control"] == "public, no-cache"
    assert (revalidated.status_code, revalidated.content) == (304, b"")
    assert not first.cookies
    assert anyone.post(path).json() == {"error": "Method POST is not allowed here; use GET, HEAD"}


def test_an_edit_changes_file_digest_and_etag(anyone, skill):
    path = f"/skills/pdf-tables{INDEX}"
    before = anyone.get(path)

    skill.content = CONTENT.replace("Read", "Look at")
    skill.save()

    after = anyone.get(path)
    assert after.headers["ETag"] != before.headers["ETag"]
    assert after.json()["skills"][0]["digest"] == digest(file_of(anyone, "pdf-tables").encode())
    assert "Look at them." in file_of(anyone, "pdf-tables")


@pytest.mark.contract("22.14")
def test_reading_counts_as_no_download(anyone, skill):
    PersonaFactory(slug="archivist", skills=[skill])

    for path in PATHS:
        assert anyone.get(path).status_code == 200

    assert Skill.objects.get().downloads == 0


@pytest.mark.infrastructure
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "most"), [*zip(PATHS, [0, 1, 2, 1], strict=True)])
def test_it_costs_no_more_statements_than_the_api(anyone, path, most):
    PersonaFactory(
        slug="archivist", skills=[SkillFactory(slug="pdf-tables"), *SkillFactory.create_batch(9)]
    )
    anyone.get(path)  # compiled once
    cached_responses.clear()

    with CaptureQueriesContext(connection) as uncached:
        anyone.get(path)
    with CaptureQueriesContext(connection) as cached:
        anyone.get(path)

    assert len(uncached) == most
    assert len(cached) == min(most, 1)


@pytest.mark.contract("22.14")
def test_a_skill_with_files_is_an_archive_and_any_other_a_skill_md(anyone):
    folder = SkillFactory(slug="folder", files={"scripts/run.py": b"print(1)"})
    PersonaFactory(slug="archivist", skills=[folder, SkillFactory(slug="single")])

    [archive, single] = anyone.get(f"/personas/archivist{INDEX}").json()["skills"]

    assert archive == {
        "name": "folder",
        "type": "archive",
        "description": "Does one thing well.",
        "url": "/api/v1/skills/folder/archive.zip",
        "digest": digest(anyone.get(archive["url"]).content),
    }
    assert (single["type"], single["url"]) == ("skill-md", "/api/v1/skills/single/SKILL.md")
    assert anyone.get(f"/skills/folder{INDEX}").json()["skills"] == [archive]


def test_an_index_reads_no_contents(anyone, django_assert_num_queries):
    skills = [SkillFactory(files={"a.md": bytes([65 + number])}) for number in range(5)]
    PersonaFactory(slug="archivist", skills=skills)

    with django_assert_num_queries(2) as captured:
        anyone.get(f"/personas/archivist{INDEX}")

    assert not [query for query in captured.captured_queries if "filecontent" in query["sql"]]
