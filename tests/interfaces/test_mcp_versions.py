"""The tools of MCP that list and read versions (contract 25.10)."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from infrastructure.http_cache.store import cached_responses
from tests.api.versions import ONE, TWO, persona_with_versions, skill_with_versions
from tests.factories import PersonaInstallFactory, SkillInstallFactory
from tests.interfaces.mcp_calls import call, refusal, success

SKILL, PERSONA = "/api/v1/skills/pdf-tables", "/api/v1/personas/archivist"
NOT_A_NUMBER = "version must be a whole number from 1 to 2147483647"


@pytest.fixture
def skill(db):
    return skill_with_versions()


@pytest.fixture
def persona(db):
    return persona_with_versions()


@pytest.mark.contract("25.10")
@pytest.mark.parametrize(
    ("tool", "arguments", "twin"),
    [
        ("list_versions", {"kind": "skill", "slug": "pdf-tables"}, f"{SKILL}/versions"),
        (
            "list_versions",
            {"kind": "persona", "slug": "archivist", "limit": 1},
            f"{PERSONA}/versions?limit=1",
        ),
        ("get_skill", {"slug": "pdf-tables", "version": 1}, f"{SKILL}/versions/1"),
        ("get_skill", {"slug": "pdf-tables", "version": None}, SKILL),
        ("get_persona", {"slug": "archivist", "version": 1}, f"{PERSONA}/versions/1"),
    ],
)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("skill", "persona")
def test_a_tool_reads_versions_as_the_api_does(
    anyone, tool, arguments, twin, django_assert_num_queries, django_assert_max_num_queries
):
    with django_assert_max_num_queries(2) as queries:
        response = anyone.get(twin)
    cached_responses.clear()

    assert response.status_code == 200
    with django_assert_num_queries(len(queries)):
        assert call(anyone, tool, **arguments) == success(response.json())


@pytest.mark.contract("25.10")
@pytest.mark.usefixtures("skill")
def test_the_files_of_a_version_are_listed_and_read(anyone):
    def read(tool, **arguments):
        return call(anyone, tool, slug="pdf-tables", **arguments)["structuredContent"]

    first, newest = (read("list_skill_files", version=number) for number in (1, 2))
    [file] = first["files"]

    assert first == {"files": anyone.get(f"{SKILL}/versions/1").json()["files"]}
    assert [file["path"] for file in newest["files"]] == ["run.bin"]
    assert read("get_skill_file", path="scripts/run.py", version=1) == {
        "mediaType": "text/plain",
        "size": 9,
        "digest": file["digest"],
        "text": "print(1)\n",
    }


@pytest.mark.usefixtures("skill")
def test_a_tool_follows_the_next_of_versions(anyone):
    entry = {"kind": "skill", "slug": "pdf-tables"}

    first = call(anyone, "list_versions", **entry, limit=1)["structuredContent"]
    [cursor] = parse_qs(urlsplit(first["next"]).query)["cursor"]
    pages = [
        call(anyone, "list_versions", **entry, cursor=first["next"])["structuredContent"],
        call(anyone, "list_versions", **entry, cursor=cursor, limit=1)["structuredContent"],
    ]

    assert [row["number"] for row in first["results"]] == [2]
    assert [[row["number"] for row in page["results"]] for page in pages] == [[1], [1]]


@pytest.mark.contract("25.10")
def test_a_pin_changes_nothing_for_who_reads_without_a_version(client, agent, skill, persona):
    SkillInstallFactory(agent=agent, skill=skill, pinned=skill.versions.get(number=1))
    PersonaInstallFactory(agent=agent, persona=persona, pinned=persona.versions.get(number=1))

    def read(tool, **arguments):
        return call(client, tool, **arguments)["structuredContent"]

    assert read("get_skill", slug="pdf-tables")["content"] == TWO
    assert read("get_skill", slug="pdf-tables", version=1)["content"] == ONE
    assert read("get_persona", slug="archivist")["content"] == "You are two."
    [file] = read("list_skill_files", slug="pdf-tables")["files"]
    assert file["path"] == "run.bin"


REFUSED = [
    ("get_skill", {"slug": "pdf-tables", "version": 3}, "Version not found"),
    (
        "get_skill",
        {"slug": "pdf-table", "version": 1},
        "Skill not found. Did you mean pdf-tables?",
    ),
    ("get_skill", {"version": 1}, "slug is required"),
    ("get_skill", {"slug": "pdf-tables", "version": 0}, NOT_A_NUMBER),
    ("get_skill", {"slug": "pdf-tables", "version": 2**31}, NOT_A_NUMBER),
    ("get_skill", {"slug": "pdf-tables", "version": 1.0}, NOT_A_NUMBER),
    ("list_skill_files", {"slug": "pdf-tables", "version": True}, NOT_A_NUMBER),
    ("get_persona", {"slug": "archivist", "version": "1"}, NOT_A_NUMBER),
    ("get_persona", {"slug": "archivist", "version": 3}, "Version not found"),
    (
        "get_skill",
        {"slug": "pdf-tables", "number": 1},
        "Unknown argument 'number'. Allowed: version",
    ),
    (
        "get_skill_file",
        {"slug": "pdf-tables", "path": "run.bin", "version": 1},
        "File not found",
    ),
    (
        "get_skill_file",
        {"slug": "pdf-tables", "path": "run.bin", "version": 3},
        "Version not found",
    ),
    ("list_versions", {"slug": "pdf-tables"}, "kind is required"),
    ("list_versions", {"kind": "skill"}, "slug is required"),
    (
        "list_versions",
        {"kind": "skills", "slug": "pdf-tables"},
        "kind must be one of skill, persona",
    ),
    ("list_versions", {"kind": "persona", "slug": "none"}, "Persona not found"),
    (
        "list_versions",
        {"kind": "skill", "slug": "pdf-tables", "sort": "newest"},
        "Unknown argument 'sort'. Allowed: limit, cursor",
    ),
]


@pytest.mark.contract("25.10")
@pytest.mark.usefixtures("skill", "persona")
def test_a_version_that_is_not_there_is_refused(anyone, alone):
    for tool, arguments, error in REFUSED:
        with alone(f"{tool} {arguments}"):
            assert call(anyone, tool, **arguments) == refusal(error)


@pytest.mark.contract("25.10")
def test_a_recalled_version_is_listed_and_not_read(anyone, skill):
    now = timezone.now()
    skill.versions.filter(number=1).update(recalled_at=now, recall_reason="Unsafe.")

    listed = call(anyone, "list_versions", kind="skill", slug="pdf-tables")["structuredContent"]

    assert [row["recall"] and row["recall"]["reason"] for row in listed["results"]] == [
        None,
        "Unsafe.",
    ]
    assert call(anyone, "get_skill", slug="pdf-tables", version=1) == refusal("Version not found")
