"""Pages of both lists: links, limits and cursors (contract 1.9)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from catalogue.models import Skill
from marketplace.api.list_queries import SIGNER
from search import reads
from search.list_queries import SkillQuery
from tests.api.test_skills import slugs
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"


@pytest.mark.contract("1.8")
def test_a_page_holds_20_unless_told_otherwise(anyone):
    SkillFactory.create_batch(25)

    assert len(slugs(anyone.get(SKILLS))) == 20
    assert len(slugs(anyone.get(f"{SKILLS}?limit=100"))) == 25


SORTS = {
    SKILLS: ["downloads", "newest", "updated", "name", "relevance"],
    PERSONAS: ["installs", "rating", "price", "newest", "updated", "name", "relevance"],
}


@pytest.mark.contract("1.10")
@pytest.mark.parametrize(
    ("url", "sort"), [(url, sort) for url, sorts in SORTS.items() for sort in sorts]
)
def test_following_next_and_previous_visits_each_row_once(anyone, url, sort):
    for number in range(11):
        rest = {"title": f"Robot {number % 4}", "description": "word " * (number % 3)}
        if url == SKILLS:
            SkillFactory(downloads=number % 3, **rest)
        else:
            PersonaFactory(
                installs=number % 3,
                price_cents=number % 2 * 100,
                rating_sum=number % 4 * 3,
                rating_count=number % 4,
                **rest,
            )
    whole = anyone.get(f"{url}?sort={sort}&q=robot").json()

    forwards, pages, following = [], [], f"{url}?sort={sort}&q=robot&limit=4"
    while following:
        page = anyone.get(following).json()
        assert page["count"] == 11
        pages.append([row["slug"] for row in page["results"]])
        forwards += pages[-1]
        last, following = page, page["next"]
    assert forwards == [row["slug"] for row in whole["results"]]
    assert [len(page) for page in pages] == [4, 4, 3]

    backwards, preceding = [pages.pop()], last["previous"]
    while preceding:
        page = anyone.get(preceding).json()
        assert [row["slug"] for row in page["results"]] == pages.pop()
        assert anyone.get(page["next"]).json()["results"][0]["slug"] == backwards[-1][0]
        backwards.append([row["slug"] for row in page["results"]])
        preceding = page["previous"]
    assert pages == []


@pytest.mark.contract("1.7")
def test_links_are_complete_urls_that_keep_the_filters(anyone):
    SkillFactory.create_batch(2, category="a&b", tags=["x", "y"])

    link = anyone.get(SKILLS, {"category": "a&b", "tag": ["x", "y"], "limit": 1}).json()["next"]

    parts = urlsplit(link)
    query = parse_qs(parts.query)
    assert (parts.scheme, parts.netloc, parts.path) == ("http", "testserver", SKILLS)
    assert query.pop("cursor")
    assert query == {"category": ["a&b"], "tag": ["x", "y"], "limit": ["1"]}


@pytest.mark.contract("1.8")
def test_the_limit_may_change_between_pages(anyone):
    SkillFactory.create_batch(6)
    cursor = cursor_of(anyone.get(f"{SKILLS}?limit=2"))

    assert len(slugs(anyone.get(SKILLS, {"limit": 3, "cursor": cursor}))) == 3


@pytest.mark.contract("8.8")
@pytest.mark.parametrize("left", [2, 0])
def test_a_page_beyond_the_last_row_has_the_current_count(anyone, left):
    skills = SkillFactory.create_batch(4, category="Data")
    SkillFactory(category="Other")
    beyond = anyone.get(f"{SKILLS}?category=Data&sort=newest&limit=2").json()["next"]
    gone = skills[: len(skills) - left]
    Skill.objects.filter(pk__in=[skill.pk for skill in gone]).update(status="withdrawn")

    response = anyone.get(beyond).json()

    assert response == {"results": [], "count": left, "next": None, "previous": None}


def test_an_entry_withdrawn_during_the_ranking_is_left_out(db):
    visible, gone = SkillFactory(), SkillFactory(status="withdrawn")

    ranking = [(2, gone.pk), (1, visible.pk)]
    page = reads.skills.ranked_page(SkillQuery({"q": ["robot"]}), ranking, 2, validator=None)

    assert [row.slug for row in page.results] == [visible.slug]


@pytest.mark.contract("1.9")
@pytest.mark.parametrize(
    "change",
    [
        lambda cursor: {"cursor": cursor[:-1]},
        lambda cursor: {"cursor": cursor.swapcase()},
        lambda cursor: {"cursor": cursor, "sort": "newest"},
        lambda cursor: {"cursor": cursor, "category": "other"},
        lambda cursor: {"cursor": cursor, "tag": "pdf"},
        lambda cursor: {"cursor": cursor, "q": "skill"},
    ],
)
def test_a_tampered_or_foreign_cursor_is_refused(anyone, change):
    SkillFactory.create_batch(3)
    cursor = cursor_of(anyone.get(f"{SKILLS}?limit=1"))

    response = anyone.get(SKILLS, change(cursor))

    assert response.status_code == 400
    assert response.json() == {"error": "cursor is invalid"}


@pytest.mark.contract("1.9")
def test_a_cursor_of_the_other_list_is_refused(anyone):
    SkillFactory.create_batch(2)
    cursor = cursor_of(anyone.get(f"{SKILLS}?limit=1&sort=newest"))

    response = anyone.get(PERSONAS, {"cursor": cursor, "sort": "newest"})

    assert response.status_code == 400
    assert response.json() == {"error": "cursor is invalid"}


@pytest.mark.parametrize(
    ("url", "factory", "binding"),
    [
        (SKILLS, SkillFactory, "9e10bc5fe6a28bd1"),
        (PERSONAS, PersonaFactory, "d8a6a128e7c7d725"),
    ],
)
def test_a_cursor_works_after_a_release(anyone, url, factory, binding):
    first, _ = factory(title="Alpha"), factory(title="Beta")

    cursor = cursor_of(anyone.get(f"{url}?sort=name&limit=1"))

    assert SIGNER.unsign_object(cursor) == [binding, 0, "alpha", first.pk]


def cursor_of(response):
    return parse_qs(urlsplit(response.json()["next"]).query)["cursor"][0]
