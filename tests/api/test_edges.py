"""With EDGE_SECONDS, edges may keep public responses but no errors (RFC 9111, 5.2; RFC 5861)."""

import pytest
from django.db import OperationalError
from django.test import Client

from infrastructure.http_cache.store import cached_responses
from marketplace.middleware import health
from tests.factories import PersonaFactory, SkillFactory

EDGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
PUBLIC = [
    *(
        "/api/v1/skills",
        "/api/v1/skills?q=pdf",
        "/api/v1/skills/pdf",
        "/api/v1/skills/pdf/SKILL.md",
    ),
    *("/api/v1/skills/pdf/versions", "/api/v1/skills/pdf/versions/1"),
    "/api/v1/skills/pdf/versions/1/SKILL.md",
    *("/api/v1/personas", "/api/v1/personas/archivist"),
    *("/.well-known/agent-skills/index.json", "/skills/pdf/.well-known/agent-skills/index.json"),
    *("/skill.md?raw", "/guide.md?raw", "/llms.txt?raw", "/robots.txt"),
    *("/sitemap.xml", "/sitemap-pages.xml", "/feed.atom", "/this-week.atom"),
    *("/", "/skills", "/skills?q=pdf", "/skills/pdf", "/personas/archivist", "/docs"),
]
ERRORS = [
    *("/api/v1/skills/none", "/api/v1/skills?limit=0", "/api/v1/none", "/none"),
    *("/skills/none", "/skills?limit=0", "/claim/none"),
    "/sitemap-none.xml",
]


@pytest.fixture(autouse=True)
def catalogue(db, settings):
    settings.EDGE_SECONDS = 60
    PersonaFactory(slug="archivist", skills=[SkillFactory(slug="pdf")])


@pytest.mark.contract("8.19", "25.5")
def test_edges_may_keep_every_public_response(anyone, subtests):
    for path in PUBLIC:
        with subtests.test(path):
            first = anyone.get(path)
            validated = {"If-None-Match": first["ETag"]}
            answers = [first, anyone.get(path), anyone.head(path)]
            answers.append(anyone.get(path, headers=validated))
            cached_responses.clear()
            answers.append(anyone.get(path, headers=validated))

            assert [answer.status_code for answer in answers] == [200, 200, 200, 304, 304]
            assert {answer["Cache-Control"] for answer in answers} == {EDGE}
            assert not [answer for answer in answers if "Vary" in answer.headers]


@pytest.mark.contract("8.19")
def test_edges_may_keep_nothing_that_was_asked_for_with_a_token(anyone, subtests):
    headers = {"Authorization": "Bearer none"}
    for path in PUBLIC:
        with subtests.test(path):
            first = anyone.get(path, headers=headers)
            validated = {**headers, "If-None-Match": first["ETag"]}
            answers = [first, anyone.get(path, headers=headers)]
            answers.append(anyone.get(path, headers=validated))
            cached_responses.clear()
            answers.append(anyone.get(path, headers=validated))

            assert [answer.status_code for answer in answers] == [200, 200, 304, 304]
            assert {answer["Cache-Control"] for answer in answers} == {"public, no-cache"}


@pytest.mark.contract("3.9")
@pytest.mark.parametrize("path", ERRORS)
def test_nothing_may_keep_an_error(anyone, path):
    answer = anyone.get(path)

    assert answer.status_code >= 400
    assert answer["Cache-Control"] == "no-store"
    assert "Vary" not in answer.headers


@pytest.mark.contract("3.9")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("PUT", "/skills"), ("PUT", "/api/v1/skills"), ("PUT", "/static/pages.css")),
        *(("GET", "/static/none.css"), ("GET", "/admin/none/"), ("POST", "/mcp")),
        *(("PUT", "/healthz"), ("PUT", "/readyz")),
    ],
)
def test_nothing_may_keep_an_error_of_any_layer(admin_client, method, path):
    answer = admin_client.generic(method, path)

    assert answer.status_code >= 400
    assert answer["Cache-Control"] == "no-store"


def test_nothing_may_keep_that_a_form_was_refused(db):
    browser = Client(enforce_csrf_checks=True)

    answer = browser.post("/operator", {"key": "none"})

    assert answer.status_code == 403
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/"])
def test_nothing_may_keep_how_a_process_was(anyone, path):
    answer = anyone.get(path)

    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")


@pytest.mark.contract("24.7")
def test_nothing_may_keep_that_the_database_was_away(anyone, monkeypatch):
    def fail():
        raise OperationalError

    monkeypatch.setattr(health, "has_pending_migrations", fail)

    answer = anyone.get("/readyz")

    assert (answer.status_code, answer["Cache-Control"]) == (503, "no-store")


def test_edges_may_keep_nothing_private(client, anyone):
    assert client.get("/api/v1/agents/me")["Cache-Control"] == "no-store"
    assert anyone.get("/api/v1/agents/me")["Cache-Control"] == "no-store"
    assert anyone.post("/api/v1/agents/register")["Cache-Control"] == "no-store"
