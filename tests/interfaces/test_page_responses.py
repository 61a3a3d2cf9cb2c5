"""Pages as responses: cached and revalidated, the same for everyone, and what they cost."""

import re

import brotli
import pytest
from cachetools import LRUCache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from demo.postgres import CHECKOUT
from infrastructure.http_cache.store import cached_responses
from interfaces.website import week
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import text_of

PAGES = [
    "/",
    "/skills",
    "/skills?category=data&runtime=python&view=list",
    "/skills?q=tables&tag=pdf",
    "/personas?free=true&sort=rating",
    "/skills/pdf-tables",
    "/personas/archivist",
    "/personas/archivist/reviews",
]

FILES = ["pages.css", "pages.js", "icon.svg", "inter.woff2"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_public_tagged_and_knows_nobody(person, admin_client, catalogue, path):
    page = person.get(path)
    revalidated = person.get(path, headers={"If-None-Match": page.headers["ETag"]})

    assert page.headers["Cache-Control"] == "public, no-cache"
    assert "Vary" not in page.headers
    assert not page.cookies
    assert (revalidated.status_code, revalidated.content) == (304, b"")
    assert admin_client.get(path).content == page.content
    assert person.head(path).headers["ETag"] == page.headers["ETag"]


@pytest.mark.contract("2.9")
@pytest.mark.django_db(transaction=True)  # or what depends on the catalogue is not cached
@pytest.mark.parametrize(
    "path",
    [
        *PAGES,
        *("/docs", "/sitemap.xml", "/feed.atom", "/robots.txt", "/skill.md?raw", "/suggest?q=pdf"),
        *("/skills/pdf-tables/versions", "/skills/pdf-tables/versions/1"),
        *("/skills/pdf-tables/versions/compare?from=1", "/this-week", "/this-week.atom"),
    ],
)
def test_an_unknown_parameter_changes_nothing(person, catalogue, path):
    cached_responses.clear()
    page = person.get(path)
    stored = [*cached_responses]

    mark = "&" if "?" in path else "?"
    marked = person.get(f"{path}{mark}utm_source=%ff&bundled=%00&utm_source")

    assert (marked.status_code, marked.content) == (200, page.content)
    assert marked.headers["ETag"] == page.headers["ETag"]
    assert [*cached_responses] == stored


@pytest.mark.contract("2.9")
def test_the_api_refuses_what_a_page_ignores(person, catalogue):
    response = person.get("/api/v1/skills?utm_source=mail")

    assert response.status_code == 400
    assert response.json()["error"].startswith("Unknown query parameter 'utm_source'. Allowed: ")


@pytest.mark.parametrize("path", PAGES)
def test_an_uncached_page_responds_304_as_well(person, catalogue, path):
    etag = person.get(path).headers["ETag"]
    cached_responses.clear()

    assert person.get(path, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_older_than_the_catalogue(person, catalogue, path):
    before = text_of(person.get(path))
    Skill.objects.update(title="Other tables")
    Persona.objects.update(title="Other archivist")

    after = text_of(person.get(path))

    assert "Other" not in before
    assert "Other" in after


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_costs_one_statement_more_than_the_api(person, catalogue, path):
    # The start page is two short lists and its numbers. The one more is for what is beside: facets,
    # or what is related. A persona's first page shows no ratings, which its details have.
    shows_reviews = path.endswith("/reviews")
    urls = [path, path.removesuffix("/reviews")] if shows_reviews else [path]
    urls = [f"/api/v1{url}".removesuffix("&view=list") for url in urls]
    most = 3 if path == "/" else sum(statements(person, url) for url in urls)
    most -= path == "/personas/archivist"

    assert statements(person, path) == most + 1
    PersonaFactory.create_batch(9, skills=SkillFactory.create_batch(9, tags=["pdf"]))
    assert statements(person, path) == most + 1


def statements(person, path):
    """How many statements an uncached response costs."""
    cached_responses.clear()
    with CaptureQueriesContext(connection) as captured:
        assert person.get(path).status_code == 200
    return len(captured)


def test_pages_load_nothing_but_our_own_files(person, catalogue):
    for path in PAGES:
        loaded = re.findall(
            r'<(?:script|img|link rel="(?:icon|stylesheet|preload)")[^>]* (?:src|href)="([^"]*)"',
            text_of(person.get(path)),
        )
        assert {*loaded} == {f"/static/{name}" for name in FILES}
        assert not re.search(r"<style|style=|\son\w+=", text_of(person.get(path)))


def bytes_of_files():
    """As sent after collectstatic."""
    folder = CHECKOUT / "marketplace/static"
    return sum(len(brotli.compress((folder / name).read_bytes())) for name in FILES)


def test_a_page_and_its_files_are_below_60_kb_and_six_requests(person, catalogue):
    files = bytes_of_files()
    SkillFactory.create_batch(24, category="data", runtimes=["python", "shell"], license="MIT")
    PersonaFactory.create_batch(24, category="data", description="w" * 200, license="MIT")

    for path in ("/", "/skills", "/skills?view=list", "/personas", "/skills/pdf-tables"):
        assert files + len(person.get(path).content) < 60_000, path
    assert len(FILES) + 2 == 6  # the activity of the start page is the sixth request


def test_the_page_of_a_week_is_below_60_kb_however_much_changed(person, catalogue):
    before = len(person.get("/this-week").content)
    successor = Skill.objects.get(slug="pdf-tables")
    SkillFactory(slug="long", title="w" * 100).recall("w" * 300, successor)
    cached_responses.clear()

    after = len(person.get("/this-week").content)

    assert after > before
    assert bytes_of_files() + before + week.MAX_EVENTS * (after - before) < 60_000


def test_site_console_and_admin_have_one_purple_one_font_and_one_logo(person, admin_client):
    folder = CHECKOUT / "marketplace/static"
    site, admin = ((folder / name).read_text() for name in ("pages.css", "admin.css"))
    font = re.search(r"@font-face {.*font-weight: 400 700;", site)[0]
    purple = re.search(r"--purple: (#\w+);", site)[1]
    light, dark = re.search(r"--paper: light-dark\((#\w+), (#\w+)\);", site).groups()

    assert font in admin
    assert f"--color-primary-600: {purple};" in admin
    assert f"--color-base-50: {light};" in admin
    assert f"--color-base-900: {dark};" in admin
    assert f'fill="{purple}"' in (folder / "icon.svg").read_text()
    for page in person.get("/"), person.get("/operator"), admin_client.get("/admin/"):
        assert '<img src="/static/icon.svg"' in page.content.decode()


@pytest.mark.parametrize(
    "path",
    [
        *(*PAGES, "/docs", "/feed.atom", "/skills/a/b", "/claim/none", "/admin"),
        *("/static/pages.css", "/skill.md", "/llms.txt", "/sitemap.xml", "/nowhere"),
    ],
)
def test_a_plain_request_for_a_page_or_its_files_is_redirected_to_https(person, settings, path):
    settings.REQUIRE_HTTPS = True

    response = person.get(path)

    assert (response.status_code, response["Location"]) == (301, f"https://testserver{path}")


def test_a_cookie_changes_nothing(person, catalogue):
    person.cookies["csrftoken"] = "malformed"

    for path in (
        "/",
        "/skills",
        "/docs",
        "/skill.md?raw",
        "/api/v1/skills",
        "/api/v1/openapi.json",
    ):
        response = person.get(path)
        assert response.status_code == 200
        assert not response.cookies
        assert "Vary" not in response.headers


def test_a_page_too_large_for_the_cache_is_served_all_the_same(person, monkeypatch):
    monkeypatch.setattr(
        "infrastructure.http_cache.store.cached_responses", LRUCache(10, getsizeof=lambda _: 11)
    )
    SkillFactory(slug="large")

    assert person.get("/skills/large").status_code == 200
