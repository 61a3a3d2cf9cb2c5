"""The pages for people: the start, the lists, an entry; and the errors that people see."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from cachetools import LRUCache
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from marketplace.http_cache.store import cached_responses
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

PAGES = [
    "/",
    "/skills",
    "/skills?q=tables&tag=pdf",
    "/personas?free=true&sort=rating",
    "/skills/pdf-tables",
    "/personas/archivist",
]


@pytest.fixture
def person(db):
    """The browser of somebody who has never been here."""
    return Client(raise_request_exception=False, enforce_csrf_checks=True)


@pytest.fixture
def catalogue(db):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF tables",
        description="Extracts tables.",
        category="data",
        tags=["pdf"],
        runtimes=["python"],
        author="Harbour Tools",
        version="1.10",
        license="MIT",
        content="---\nname: pdf-tables\n---\n\n# How\n\nUse **pdfplumber**.\n",
        downloads=1234,
    )
    return PersonaFactory(slug="archivist", title="Archivist", skills=[skill], content="*Quiet.*")


def text_of(page, status=200):
    assert page.status_code == status, page.content
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    return page.content.decode()


def visible(page, status=200):
    """What a person reads: without markup, on one line."""
    body = text_of(page, status).partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def links(page):
    return [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]*)"', text_of(page))]


def entries(page):
    """The slugs of the entries that a list shows, in its order."""
    return re.findall(r'<h3><a href="/(?:skills|personas)/([a-z0-9-]+)">', text_of(page))


def test_the_start_page_shows_what_there_is(person, catalogue):
    SkillFactory(status="draft")

    page = person.get("/")

    text = visible(page)
    assert "1 skill 1 persona" in text
    assert "PDF tables Extracts tables. 1,234 installs data" in text
    assert entries(page) == ["pdf-tables", "archivist"]
    assert "npx skills add http://testserver" in text
    assert "grep -o 'mkt_agent_[0-9A-Za-z]*'" in text
    ways = {"/skills", "/personas", "/docs", "/skill.md", "/llms.txt", "/api/v1/openapi.json"}
    assert ways <= {*links(page)}
    assert "http://testserver/mcp" in text


def test_the_start_page_shows_the_most_installed_and_the_newest(person):
    for downloads in range(9):
        SkillFactory(slug=f"skill-{downloads}", downloads=downloads)
        PersonaFactory(slug=f"persona-{downloads}", installs=9 - downloads)

    page = person.get("/")

    skills = [f"skill-{downloads}" for downloads in (8, 7, 6, 5, 4, 3)]
    assert entries(page) == skills + [f"persona-{number}" for number in range(6)]
    new = text_of(page).partition('id="new"')[2]
    assert re.findall(r'href="/[a-z]+/([a-z0-9-]+)"', new)[:6] == [
        *("skill-8", "skill-7", "skill-6", "persona-8", "persona-7", "persona-6")
    ]


def test_an_empty_marketplace_has_a_start_page_too(person):
    assert "0 skills 0 personas" in visible(person.get("/"))
    assert "Nothing here fits." in visible(person.get("/skills"))


def test_a_skill_shows_what_it_is_and_how_to_install_it(person, catalogue):
    page = person.get("/skills/pdf-tables")

    text, shown = text_of(page), visible(page)
    assert "<h1>PDF tables</h1>" in text
    assert "<p>Use <strong>pdfplumber</strong>.</p>" in text
    for fact in ("Installs 1,234", "Author Harbour Tools", "Version 1.10", "License MIT"):
        assert fact in shown
    assert "npx skills add http://testserver/skills/pdf-tables" in shown
    assert "curl http://testserver/api/v1/agents/me/skills/install" in shown
    assert 'install_skill {"slug": "pdf-tables"}' in shown
    assert {
        *("/personas/archivist", "/skills?category=data", "/skills?tag=pdf"),
        *("/skills?runtime=python", "/skills?author=Harbour%20Tools"),
        *("/api/v1/skills/pdf-tables", "/api/v1/skills/pdf-tables/SKILL.md"),
    } <= {*links(page)}


def test_a_persona_shows_its_prompt_its_skills_and_its_ratings(person, catalogue):
    for rating in (5, 5, 3):
        review(AgentFactory(), catalogue, rating)

    page = person.get("/personas/archivist")

    assert "<p><em>Quiet.</em></p>" in text_of(page)
    shown = visible(page)
    assert "4.33 of 5, from 3 reviews 5 ★ 2 2 4 ★ 0 0 3 ★ 1 1 2 ★ 0 0 1 ★ 0 0" in shown
    assert "curl http://testserver/api/v1/agents/me/personas/install" in shown
    assert "npx skills add http://testserver/personas/archivist" in shown
    assert "/skills/pdf-tables" in links(page)


def test_a_priced_persona_shows_no_prompt_and_no_way_to_install_it(person, catalogue):
    Persona.objects.update(price_cents=1200)

    text = visible(person.get("/personas/archivist"))

    assert "This persona costs 1200 cents" in text
    assert "Quiet." not in text
    assert "personas/install" not in text
    assert "npx" not in text


@pytest.mark.parametrize(
    ("path", "title", "description"),
    [
        ("/", "Agent Marketplace", "Software agents find, install and review skills"),
        ("/skills", "Skills", "Skills for software agents"),
        ("/skills/pdf-tables/", "PDF tables", "Extracts tables."),
        ("/personas/archivist", "Archivist", "Does one thing well."),
    ],
)
def test_a_page_says_what_others_may_quote(person, catalogue, path, title, description):
    text = text_of(person.get(path))

    url = f"http://testserver{path.rstrip('/')}"
    assert f'<link rel="canonical" href="{url}">' in text
    assert f'<meta property="og:url" content="{url}">' in text
    assert f'<meta property="og:title" content="{title}">' in text
    assert f'<meta property="og:description" content="{description}' in text
    assert f'<meta name="description" content="{description}' in text


EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_whatever_an_entry_holds_runs_nowhere(person):
    texts = dict.fromkeys(["title", "description", "category", "author", "version"], EVIL[:64])
    more = {"tags": [EVIL], "runtimes": [EVIL], "content": f"{EVIL} [x](javascript:alert(1))"}
    skill = SkillFactory(slug="evil", **texts, **more)
    PersonaFactory(slug="evil", skills=[skill], **texts, **more)

    for path in (
        "/",
        "/skills",
        "/personas",
        "/skills/evil",
        "/personas/evil",
        f"/skills?q={EVIL}",
    ):
        text = text_of(person.get(path))
        assert text.count("<script") == 1
        assert "<img src=x" not in text
        assert "\"'>" not in text
        assert 'href="javascript' not in text


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=tables",
        "tag=pdf&category=data",
        "sort=name",
        "limit=1",
        "author=Nobody",
        "search=pdf",
    ],
)
def test_a_list_finds_what_the_api_finds(person, anyone, catalogue, query):
    SkillFactory(slug="csv-tables", title="CSV tables", tags=["pdf"], category="data")
    SkillFactory(slug="letters", title="Letters")

    shown = entries(person.get(f"/skills?{query}"))

    found = anyone.get(f"/api/v1/skills?{query}").json()["results"]
    assert shown == [row["slug"] for row in found]


def test_a_list_leads_through_all_its_pages_and_back(person):
    for number in range(5):
        PersonaFactory(slug=f"persona-{number}", installs=number)
    seen, path = [], "/personas?limit=2&q="
    while path:
        page = person.get(path)
        seen.append(entries(page))
        path = next(
            (unescape(url) for url in re.findall(r'rel="next" href="([^"]*)', text_of(page))), ""
        )

    assert seen == [["persona-4", "persona-3"], ["persona-2", "persona-1"], ["persona-0"]]
    (back,) = re.findall(r'rel="prev" href="([^"]*)', text_of(page))
    assert urlsplit(back).path == "/personas"
    assert entries(person.get(unescape(back))) == seen[1]


def test_what_a_form_leaves_empty_is_no_filter(person, catalogue):
    page = person.get("/personas?q=&sort=&free=&minRating=")

    assert entries(page) == ["archivist"]


def test_each_filter_that_is_set_can_be_taken_away(person, catalogue):
    page = person.get("/skills?q=tables&tag=pdf&tag=x&category=data&sort=name")

    assert [link for link in links(page) if link.startswith("?")] == [
        "?q=tables&tag=pdf&tag=x&sort=name",
        "?q=tables&tag=x&category=data&sort=name",
        "?q=tables&tag=pdf&category=data&sort=name",
    ]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', text_of(page))
    assert hidden == [("category", "data"), ("tag", "pdf"), ("tag", "x")]


def test_the_categories_that_are_shown_narrow_the_list(person, catalogue):
    SkillFactory(category="text", slug="letters")

    page = person.get("/skills?sort=name")

    narrower = [link for link in links(page) if link.startswith("?")]
    assert narrower == ["?sort=name&category=data", "?sort=name&category=text"]
    assert entries(person.get(f"/skills{narrower[1]}")) == ["letters"]


def test_no_filter_is_changed_with_the_cursor_of_another(person, catalogue):
    SkillFactory.create_batch(2, category="data")
    first = person.get("/skills?limit=1&category=data")
    (following,) = [link for link in links(first) if "cursor=" in link]

    second = person.get(following)

    assert [link for link in links(second) if link.startswith("?")] == ["?limit=1"]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/skills/none", "Skill not found"),
        ("/skills/No.Slug", "Skill not found"),
        ("/skills/a%00b/", "Skill not found"),
        ("/skills/draft", "Skill not found"),
        ("/personas/none", "Persona not found"),
        ("/skills/a/b", "There is no such page"),
        ("/admin/none/", None),
        ("/claim/none", "There is no such page"),
    ],
)
def test_what_is_not_there_is_a_page_for_people(person, path, error):
    SkillFactory(slug="draft", status="draft")
    page = person.get(path)

    if error:
        assert f"404 {error} It may have been withdrawn" in visible(page, 404)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("foo=1", "Unknown query parameter 'foo'. Allowed: "),
        ("cursor=x", "cursor is invalid"),
        ("sort=relevance", "sort=relevance needs a q to be relevant to"),
        ("q=%00", "Query string must not contain NUL characters"),
    ],
)
def test_what_a_list_cannot_read_is_said_on_a_page(person, query, error):
    assert f"400 {error}" in visible(person.get(f"/skills?{query}"), 400)


def test_a_crash_is_a_page_that_tells_nothing(person, monkeypatch):
    def look_up(_):
        raise RuntimeError("the secret detail")

    monkeypatch.setattr("interfaces.website.views.SkillViewSet.get_published", look_up)

    text = visible(person.get("/skills/some"), 500)
    assert "500 Something went wrong" in text
    assert "secret" not in text


def test_a_database_that_is_away_is_a_page_that_says_when_to_come_again(person, monkeypatch):
    def look_up(_):
        raise OperationalError

    monkeypatch.setattr("interfaces.website.views.SkillViewSet.get_published", look_up)
    page = person.get("/skills/some")

    assert "503 Busy for a moment" in visible(page, 503)
    assert page.headers["Retry-After"] == "2"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/", "/skills", "/skills/pdf-tables", "/personas/archivist/"])
def test_another_method_is_a_405(person, catalogue, method, path):
    answer = getattr(person, method)(path)

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_public_tagged_and_knows_nobody(person, admin_client, catalogue, path):
    page = person.get(path)
    known = person.get(path, headers={"If-None-Match": page.headers["ETag"]})

    assert page.headers["Cache-Control"] == "public, no-cache"
    assert "Vary" not in page.headers
    assert not page.cookies
    assert (known.status_code, known.content) == (304, b"")
    assert admin_client.get(path).content == page.content
    assert person.head(path).headers["ETag"] == page.headers["ETag"]


@pytest.mark.parametrize("path", PAGES)
def test_an_unknown_page_answers_304_as_well(person, catalogue, path):
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
def test_a_page_costs_no_more_statements_than_the_api(person, catalogue, path):
    # The start page is four short lists.
    most = 4 if path == "/" else statements(person, f"/api/v1{path}")

    assert statements(person, path) == most
    PersonaFactory.create_batch(9, skills=SkillFactory.create_batch(9, tags=["pdf"]))
    assert statements(person, path) == most


def statements(person, path):
    """How many statements an answer costs that is not known yet."""
    cached_responses.clear()
    with CaptureQueriesContext(connection) as captured:
        assert person.get(path).status_code == 200
    return len(captured)


def test_pages_load_nothing_but_our_own_files(person, catalogue):
    for path in PAGES:
        loaded = re.findall(
            r'<(?:script|img|link rel="(?:icon|stylesheet)")[^>]* (?:src|href)="([^"]*)"',
            text_of(person.get(path)),
        )
        assert {*loaded} == {"/static/pages.css", "/static/pages.js", "/static/admin.svg"}
        assert not re.search(r"<style|style=|\son\w+=", text_of(person.get(path)))


def test_a_cookie_changes_nothing(person, catalogue):
    person.cookies["csrftoken"] = "malformed"

    for path in ("/", "/skills", "/docs", "/skill.md", "/api/v1/skills", "/api/v1/openapi.json"):
        answer = person.get(path)
        assert answer.status_code == 200
        assert not answer.cookies
        assert "Vary" not in answer.headers


def test_a_text_that_would_multiply_itself_is_shown_as_it_stands(person):
    repeated = "[a]: http://e.com/" + "&" * 2000 + "\n\n" + "[a] " * 2200
    SkillFactory(slug="bomb", content=repeated)

    answer = person.get("/skills/bomb")

    assert answer.status_code == 200
    assert len(answer.content) < 100_000


def test_what_is_too_large_to_keep_is_given_all_the_same(person, monkeypatch):
    monkeypatch.setattr(
        "marketplace.http_cache.store.cached_responses", LRUCache(10, getsizeof=lambda _: 11)
    )
    SkillFactory(slug="large")

    assert person.get("/skills/large").status_code == 200
