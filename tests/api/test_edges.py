"""With EDGE_SECONDS edges may keep what is public; nothing else (RFC 9111, 5.2; RFC 5861)."""

import pytest

from marketplace.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory

EDGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
PUBLIC = [
    *(
        "/api/v1/skills",
        "/api/v1/skills?q=pdf",
        "/api/v1/skills/pdf",
        "/api/v1/skills/pdf/SKILL.md",
    ),
    *("/api/v1/personas", "/api/v1/personas/archivist"),
    *("/.well-known/agent-skills/index.json", "/skills/pdf/.well-known/agent-skills/index.json"),
    *("/skill.md?raw", "/llms.txt?raw", "/robots.txt"),
    *("/sitemap.xml", "/sitemap-pages.xml", "/feed.atom"),
    *("/", "/skills", "/skills?q=pdf", "/skills/pdf", "/personas/archivist", "/docs"),
]
ERRORS = [
    *("/api/v1/skills/none", "/api/v1/skills?limit=0", "/api/v1/none", "/none"),
    *("/skills/none", "/skills?limit=0", "/claim/none"),
    *("/sitemap-none.xml", "/feed.atom?x"),
]


@pytest.fixture(autouse=True)
def catalogue(db, settings):
    settings.EDGE_SECONDS = 60
    PersonaFactory(slug="archivist", skills=[SkillFactory(slug="pdf")])


@pytest.mark.parametrize("path", PUBLIC)
def test_edges_may_keep_what_is_public(anyone, path):
    first = anyone.get(path)
    validated = {"If-None-Match": first["ETag"]}
    answers = [first, anyone.get(path), anyone.head(path), anyone.get(path, headers=validated)]
    cached_responses.clear()
    answers.append(anyone.get(path, headers=validated))

    assert [answer.status_code for answer in answers] == [200, 200, 200, 304, 304]
    assert {answer["Cache-Control"] for answer in answers} == {EDGE}
    assert not [answer for answer in answers if "Vary" in answer.headers]


@pytest.mark.parametrize("path", PUBLIC)
def test_edges_may_keep_nothing_that_was_asked_for_with_a_token(anyone, path):
    headers = {"Authorization": "Bearer none"}
    first = anyone.get(path, headers=headers)
    validated = {**headers, "If-None-Match": first["ETag"]}
    answers = [first, anyone.get(path, headers=headers), anyone.get(path, headers=validated)]
    cached_responses.clear()
    answers.append(anyone.get(path, headers=validated))

    assert [answer.status_code for answer in answers] == [200, 200, 304, 304]
    assert {answer["Cache-Control"] for answer in answers} == {"public, no-cache"}


@pytest.mark.parametrize("path", ERRORS)
def test_edges_may_keep_no_error(anyone, path):
    answer = anyone.get(path)

    assert answer.status_code >= 400
    assert "s-maxage" not in answer.headers.get("Cache-Control", "")
    assert "Vary" not in answer.headers


def test_edges_may_keep_nothing_private(client, anyone):
    assert client.get("/api/v1/agents/me")["Cache-Control"] == "no-store"
    assert anyone.get("/api/v1/agents/me")["Cache-Control"] == "no-store"
    assert anyone.post("/api/v1/agents/register")["Cache-Control"] == "no-store"
