"""/feed.atom: what is new in the catalogue (RFC 4287)."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from infrastructure.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory

ATOM = "{http://www.w3.org/2005/Atom}"
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def read(response):
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(response.content)
    assert feed.tag == f"{ATOM}feed"
    return feed


def titles(client):
    return [
        entry.findtext(f"{ATOM}title")
        for entry in read(client.get("/feed.atom")).iter(f"{ATOM}entry")
    ]


def links(element):
    return {link.get("rel"): link.get("href") for link in element.findall(f"{ATOM}link")}


@pytest.fixture
def catalogue(db):
    SkillFactory(
        slug="pdf-tables",
        public_id="skill_1",
        title="PDF tables <b>",
        description="a < b & <script>alert(1)</script>\x08\ufffe",
        author="Harbour & Tools",
        category="data",
    )
    PersonaFactory(
        slug="archivist", public_id="persona_1", title="Archivist", author="", category=""
    )
    SkillFactory(slug="draft", status="draft")
    Skill.objects.update(created_at=MONDAY, updated_at=MONDAY + timedelta(days=1))
    Persona.objects.update(created_at=MONDAY + timedelta(hours=1), updated_at=MONDAY)


def test_the_feed_says_who_it_is(person, catalogue):
    feed = read(person.get("/feed.atom"))

    assert feed.findtext(f"{ATOM}id") == "http://testserver/feed.atom"
    assert feed.findtext(f"{ATOM}title") == "New in the Agent Marketplace"
    assert feed.findtext(f"{ATOM}updated") == "2026-03-03T09:00:00+00:00"
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Agent Marketplace"
    assert links(feed) == {
        "alternate": "http://testserver/",
        "self": "http://testserver/feed.atom",
    }


def test_an_entry_has_what_a_reader_shows(person, catalogue):
    persona, skill = read(person.get("/feed.atom")).findall(f"{ATOM}entry")

    assert {element.tag.removeprefix(ATOM): element.text for element in skill if element.text} == {
        "id": "tag:testserver,2026-03-02:/skill_1/",
        "title": "PDF tables <b>",
        "summary": "a &lt; b &amp; &lt;script&gt;alert(1)&lt;/script&gt;",
        "published": "2026-03-02T09:00:00+00:00",
        "updated": "2026-03-03T09:00:00+00:00",
    }
    assert skill.find(f"{ATOM}summary").get("type") == "html"
    assert skill.findtext(f"{ATOM}author/{ATOM}name") == "Harbour & Tools"
    assert skill.find(f"{ATOM}category").get("term") == "data"
    assert links(skill) == {"alternate": "http://testserver/skills/pdf-tables"}
    assert links(persona) == {"alternate": "http://testserver/personas/archivist"}
    assert persona.find(f"{ATOM}author") is None  # that of the feed
    assert persona.find(f"{ATOM}category") is None


def test_it_holds_the_fifty_newest_of_both_kinds(person):
    for number in range(40):
        SkillFactory(title=f"Skill {number}")
        PersonaFactory(title=f"Persona {number}")
    expected = [f"{kind} {number}" for number in range(39, 14, -1) for kind in ("Persona", "Skill")]

    assert titles(person) == expected


@pytest.mark.infrastructure
def test_no_feed_is_older_than_the_catalogue(person, catalogue):
    assert "Archivist" in titles(person)
    assert len(cached_responses) == 1

    Persona.objects.update(title="Librarian")
    assert "Librarian" in titles(person)
    Persona.objects.update(status="withdrawn")
    assert titles(person) == ["PDF tables <b>"]


def test_an_empty_catalogue_has_a_feed(person):
    assert titles(person) == []


def test_a_reader_that_has_it_gets_a_304(person, catalogue):
    first = person.get("/feed.atom")
    again = person.get("/feed.atom", headers={"If-None-Match": first.headers["ETag"]})
    head = person.head("/feed.atom/")

    assert first.headers["Cache-Control"] == "public, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content, head.headers["ETag"]) == (
        200,
        b"",
        first.headers["ETag"],
    )


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
def test_the_feed_refuses_other_methods(person, method):
    response = getattr(person, method)("/feed.atom")

    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert response.json() == {"error": "Method Not Allowed"}


def test_it_costs_a_statement_for_each_kind(person, catalogue):
    def statements():
        cached_responses.clear()
        with CaptureQueriesContext(connection) as captured:
            assert person.get("/feed.atom").status_code == 200
        return len(captured)

    assert statements() == 2
    PersonaFactory.create_batch(9, skills=SkillFactory.create_batch(9))
    assert statements() == 2
