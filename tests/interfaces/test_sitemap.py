"""/sitemap.xml and its parts (sitemaps.org): every page that there is to find, and no other."""

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from infrastructure.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
STEP = 10_000
CHANGED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def read(response, root):
    """`[(url, lastmod), …]`"""
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/xml; charset=utf-8"
    document = ET.fromstring(response.content)
    assert document.tag == NAMESPACE + root
    return [
        (element.findtext(f"{NAMESPACE}loc"), element.findtext(f"{NAMESPACE}lastmod"))
        for element in document
    ]


def parts(client):
    return [
        url.removeprefix("http://testserver")
        for url, _ in read(client.get("/sitemap.xml"), "sitemapindex")
    ]


@pytest.fixture
def catalogue(db):
    """Two skills far apart, one persona, and what nobody may see."""
    SkillFactory(id=5, slug="pdf-tables")
    SkillFactory(id=STEP, slug="draft", status="draft")
    SkillFactory(id=900 * STEP, slug="csv")
    PersonaFactory(id=3 * STEP - 1, slug="archivist")
    PersonaFactory(id=7, slug="gone", status="withdrawn")
    for model in (Skill, Persona):
        model.objects.update(updated_at=CHANGED)


def test_its_parts_name_every_page_once(person, catalogue):
    assert parts(person) == [
        "/sitemap-pages.xml",
        "/sitemap-skills-0.xml",
        "/sitemap-skills-900.xml",
        "/sitemap-personas-2.xml",
    ]

    pages, *entries = [read(person.get(path), "urlset") for path in parts(person)]
    day = "2026-03-04T05:06:07Z"
    assert entries == [
        [("http://testserver/skills/pdf-tables", day)],
        [("http://testserver/skills/csv", day)],
        [("http://testserver/personas/archivist", day)],
    ]
    for url, _ in pages:
        assert person.get(url, headers={"Accept": "text/html"}).status_code == 200


def test_an_empty_catalogue_has_one_part(person):
    assert parts(person) == ["/sitemap-pages.xml"]


def test_it_speaks_of_this_host(person, catalogue, settings):
    settings.ALLOWED_HOSTS = ["testserver", "agents.example.com"]

    for path in ("/sitemap.xml", "/sitemap-skills-0.xml", "/sitemap-pages.xml"):
        assert b"<loc>http://testserver/" in person.get(path).content
        text = person.get(path, headers={"Host": "agents.example.com"}, secure=True).content

        assert b"<loc>https://agents.example.com/" in text
        assert b"testserver" not in text


def test_robots_txt_names_it(person):
    assert (
        "\nSitemap: http://testserver/sitemap.xml\n" in person.get("/robots.txt").content.decode()
    )


@pytest.mark.parametrize(
    "path",
    [
        *("/sitemap-none.xml", "/sitemap-skills.xml", "/sitemap-skills-.xml"),
        *("/sitemap-skills-1.xml", "/sitemap-skills-00.xml", "/sitemap-skills--1.xml"),
        *("/sitemap-skills-9999999999.xml", "/sitemap-skills-999999999.xml"),
        *("/sitemap-skills-%D9%A0.xml", "/sitemap-skills-0%00.xml", "/sitemap-skills-0.5.xml"),
    ],
)
def test_an_unknown_part_is_a_404(person, catalogue, path):
    response = person.get(path)

    assert response.status_code == 404
    assert response.json() == {"error": "Not found: the API has no such path"}


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemap-skills-0.xml/"])
def test_the_sitemap_refuses_other_methods(person, catalogue, method, path):
    response = getattr(person, method)(path)

    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert response.json() == {"error": "Method Not Allowed"}


@pytest.mark.infrastructure
def test_the_index_is_cached_and_knows_of_a_new_part(person, catalogue):
    before = parts(person)
    assert len(cached_responses) == 1
    assert parts(person) == before

    Skill.objects.filter(slug="draft").update(status="published")

    assert parts(person) == [*before[:2], "/sitemap-skills-1.xml", *before[2:]]


@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemap-skills-0.xml", "/sitemap-pages.xml"])
def test_a_crawler_that_has_it_gets_a_304(person, catalogue, path):
    first = person.get(path)
    again = person.get(path, headers={"If-None-Match": first.headers["ETag"]})
    head = person.head(path)

    assert first.headers["Cache-Control"] == "public, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == first.headers["ETag"]


def test_it_costs_the_same_for_more_entries(person, catalogue):
    expected = {"/sitemap.xml": 2, "/sitemap-skills-0.xml": 1, "/sitemap-pages.xml": 0}
    assert {path: statements(person, path) for path in expected} == expected
    for number in range(2, 30):
        SkillFactory(id=number * STEP)
        SkillFactory(id=20 + number)

    assert len(parts(person)) == 32
    assert {path: statements(person, path) for path in expected} == expected


def statements(person, path):
    cached_responses.clear()
    with CaptureQueriesContext(connection) as captured:
        assert person.get(path).status_code == 200
    return len(captured)
