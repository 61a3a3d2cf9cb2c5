"""CORS: scripts of any site may read public responses, and nothing else."""

import pytest

from tests.factories import PersonaFactory, SkillFactory

INDEX = "/.well-known/agent-skills/index.json"
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Content-Range, ETag, Retry-After, X-Request-ID",
}
PUBLIC = {
    "/api/v1/skills": 200,
    "/api/v1/skills/?q=pdf": 200,
    "/api/v1/skills?foo=1": 400,
    "/api/v1/skills/pdf-tables": 200,
    "/api/v1/skills/none": 404,
    "/api/v1/skills/pdf-tables/SKILL.md": 200,
    "/api/v1/personas/archivist/": 200,
    INDEX: 200,
    f"/skills/pdf-tables{INDEX}": 200,
    f"/personas/archivist{INDEX}": 402,
    f"/personas/none{INDEX}": 404,
    "/llms.txt": 200,
    "/skill.md": 200,
}
CLOSED = {
    "/": 200,
    "/skills/pdf-tables": 200,
    "/api/v1/agents/me": 200,
    "/api/v1/agents/me/skills/install": 405,
    "/api/v1/skillset": 404,
    "/admin/login/": 200,
    "/healthz": 200,
    "/skill.md.old": 404,
}


@pytest.fixture
def catalogue(db):
    PersonaFactory(slug="archivist", skills=[SkillFactory(slug="pdf-tables")], price_cents=5)


def cors_of(response):
    return {k: v for k, v in response.headers.items() if k.startswith("Access-Control-")}


@pytest.mark.contract("1.12")
@pytest.mark.parametrize(("path", "status"), PUBLIC.items())
def test_scripts_of_any_site_may_read_public_responses(anyone, catalogue, path, status):
    for response in (
        anyone.get(path, headers={"Origin": "https://agent.example"}),
        anyone.get(path),
        anyone.head(path),
    ):
        assert response.status_code == status
        assert cors_of(response) == OPEN


def test_a_304_may_be_read(anyone, catalogue):
    for path in ("/api/v1/skills/pdf-tables", "/skill.md"):
        etag = anyone.get(path).headers["ETag"]

        response = anyone.get(path, headers={"If-None-Match": etag})

        assert (response.status_code, cors_of(response)) == (304, OPEN)


@pytest.mark.parametrize("host", ["evil.example", "testserver"])
def test_errors_of_the_middleware_may_be_read(anyone, settings, host):
    settings.REQUIRE_HTTPS = host == "testserver"

    response = anyone.get("/api/v1/skills", headers={"Host": host})

    assert (response.status_code, cors_of(response)) == (403 if host == "testserver" else 400, OPEN)


@pytest.mark.contract("1.12")
@pytest.mark.parametrize(("path", "status"), CLOSED.items())
def test_nothing_else_may_be_read(client, catalogue, path, status):
    response = client.get(path, headers={"Origin": "https://agent.example"})

    assert (response.status_code, cors_of(response)) == (status, {})


@pytest.mark.contract("1.12")
@pytest.mark.parametrize("path", ["/api/v1/skills", "/skill.md", INDEX, "/api/v1/agents/register"])
def test_there_is_no_preflight(anyone, path):
    response = anyone.options(
        path, headers={"Origin": "https://x.example", "Access-Control-Request-Method": "GET"}
    )

    assert (response.status_code, cors_of(response)) == (405, {})


def test_a_registration_may_not_be_read_from_elsewhere(anyone):
    response = anyone.post("/api/v1/agents/register", headers={"Origin": "https://x.example"})

    assert (response.status_code, cors_of(response)) == (201, {})
