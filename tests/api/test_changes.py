"""GET /api/v1/changes: its pages, its cursors and its errors (contract 20.1)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from changes.models import Change
from marketplace.api.fields import timestamp
from tests.api.feed import URL, changes, cursor, feed, since
from tests.factories import AgentFactory, PersonaFactory, SkillFactory

# Triggers write the feed when a transaction commits.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.contract("20.1", "20.5", "25.6")
def test_it_shows_each_entry_and_where_to_go_on(anyone):
    skill, persona = SkillFactory(slug="pdf-tables"), PersonaFactory(slug="archivist")
    skill_change, persona_change = Change.objects.order_by("changed_at")

    response = anyone.get(URL)

    body = response.json()
    cursor = body["cursor"]
    assert response.status_code == 200
    assert body == {
        "results": [
            {
                "kind": "skill",
                "slug": "pdf-tables",
                "change": "published",
                "digest": skill.digest,
                "number": 1,
                "at": timestamp(skill_change.changed_at),
            },
            {
                "kind": "persona",
                "slug": "archivist",
                "change": "published",
                "digest": persona.digest,
                "number": 1,
                "at": timestamp(persona_change.changed_at),
            },
        ],
        "next": f"http://testserver{URL}?since={cursor}",
        "cursor": cursor,
    }
    assert response["Cache-Control"] == "public, no-cache"
    assert anyone.get(body["next"]).json()["results"] == []


@pytest.mark.contract("20.5")
def test_a_poll_of_nothing_goes_on_from_where_it_was(anyone):
    SkillFactory(slug="pdf-tables")
    before = cursor(anyone)

    again = cursor(anyone, f"?since={before}")

    assert again == before
    SkillFactory(slug="csv")
    assert since(anyone, again) == [("csv", "published")]


@pytest.mark.contract("20.5")
def test_an_empty_feed_can_be_polled(anyone):
    body = feed(anyone)

    assert body["results"] == []
    SkillFactory(slug="pdf-tables")
    assert changes(anyone, body["next"].removeprefix(f"http://testserver{URL}")) == [
        ("pdf-tables", "published")
    ]


@pytest.mark.contract("20.1")
def test_it_is_read_in_pages_oldest_first(anyone):
    slugs = [SkillFactory().slug for _ in range(5)]
    pages, url = [], f"{URL}?limit=2"

    for _ in range(3):
        body = anyone.get(url).json()
        pages.append([row["slug"] for row in body["results"]])
        query = parse_qs(urlsplit(body["next"]).query)
        assert query == {"limit": ["2"], "since": [body["cursor"]]}
        url = body["next"]

    assert pages == [slugs[:2], slugs[2:4], slugs[4:]]
    assert anyone.get(url).json()["results"] == []


@pytest.mark.contract("20.1")
def test_it_is_of_one_kind_on_request(anyone):
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")

    assert changes(anyone, "?kind=skill") == [("pdf-tables", "published")]
    assert changes(anyone, "?kind=persona") == [("archivist", "published")]


@pytest.mark.contract("20.6")
def test_a_cursor_of_all_kinds_does_for_one_but_no_other_way_round(anyone):
    of_all, of_skills = cursor(anyone), cursor(anyone, "?kind=skill")
    PersonaFactory(slug="archivist")

    assert changes(anyone, f"?kind=persona&since={of_all}") == [("archivist", "published")]
    for query in (f"?since={of_skills}", f"?kind=persona&since={of_skills}"):
        response = anyone.get(f"{URL}{query}")
        assert response.status_code == 400
        assert response.json() == {"error": "cursor is invalid"}


@pytest.mark.contract("2.9", "20.6")
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("since=x", "cursor is invalid"),
        ("since=", "cursor is invalid"),
        ("since=1&since=2", "since must be given at most once"),
        ("kind=agent", "kind must be one of skill, persona"),
        ("kind=", "kind must be one of skill, persona"),
        ("limit=0", "limit must be a whole number from 1 to 100"),
        ("limit=101", "limit must be a whole number from 1 to 100"),
        ("cursor=x", "Unknown query parameter 'cursor'. Allowed: kind, limit, since"),
        ("q=pdf", "Unknown query parameter 'q'. Allowed: kind, limit, since"),
    ],
)
def test_a_wrong_query_of_the_feed_is_refused(anyone, query, error):
    response = anyone.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert response.json() == {"error": error}


@pytest.mark.contract("20.6")
def test_a_lists_cursor_is_no_cursor_of_the_feed(anyone):
    SkillFactory.create_batch(2)
    link = anyone.get("/api/v1/skills?limit=1").json()["next"]
    [of_list] = parse_qs(urlsplit(link).query)["cursor"]

    response = anyone.get(URL, {"since": of_list})

    assert response.status_code == 400
    assert response.json() == {"error": "cursor is invalid"}


@pytest.mark.contract("20.5")
def test_a_poll_without_news_is_a_304(anyone):
    SkillFactory()
    url = f"{URL}?since={cursor(anyone)}"
    etag = anyone.get(url)["ETag"]

    assert anyone.get(url, headers={"If-None-Match": etag}).status_code == 304
    AgentFactory()
    assert anyone.get(url, headers={"If-None-Match": etag}).status_code == 304
    SkillFactory()
    assert anyone.get(url, headers={"If-None-Match": etag}).status_code == 200
