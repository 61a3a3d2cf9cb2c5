"""What both lists share: parameters, pages, search and conditional requests (contract 6)."""

from urllib.parse import parse_qs, urlsplit

import pytest

from catalogue.filters import SkillFilterSet
from catalogue.models import Skill
from marketplace.api.keysets import RankedRows
from marketplace.http_cache.store import cached_responses
from tests.api.test_skills import slugs
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
SKILL_PARAMETERS = (
    "author, bundledIn, category, cursor, limit, q, query, runtime, search, sort, tag"
)
PERSONA_PARAMETERS = (
    "author, category, cursor, free, limit, minRating, q, query, runtime, search, skill, sort, tag"
)
LIMIT = "limit must be a whole number from 1 to 100"
SKILL_SORT = "sort must be one of relevance, downloads, newest, updated, name"
PERSONA_SORT = "sort must be one of relevance, installs, rating, price, newest, updated, name"
MIN_RATING = "minRating must be a number from 1 to 5"


@pytest.mark.parametrize(
    ("url", "error"),
    [
        (f"{SKILLS}?foo=1", f"Unknown query parameter 'foo'. Allowed: {SKILL_PARAMETERS}"),
        (f"{SKILLS}?free=true", f"Unknown query parameter 'free'. Allowed: {SKILL_PARAMETERS}"),
        (f"{PERSONAS}?foo=", f"Unknown query parameter 'foo'. Allowed: {PERSONA_PARAMETERS}"),
        *[
            (f"{SKILLS}?limit={limit}", LIMIT)
            for limit in ("", "0", "101", "-1", "1.5", "ten", "9" * 40, "%D9%A1", "+5", "5%20")
        ],
        (f"{SKILLS}?sort=price", SKILL_SORT),
        (f"{PERSONAS}?sort=downloads", PERSONA_SORT),
        (f"{SKILLS}?sort=", SKILL_SORT),
        (f"{SKILLS}?sort=relevance", "sort=relevance needs a q to be relevant to"),
        (f"{SKILLS}?sort=relevance&q=%20", "sort=relevance needs a q to be relevant to"),
        (f"{SKILLS}?q={'x' * 201}", "q must be at most 200 characters"),
        (f"{SKILLS}?search={'x' * 201}", "q must be at most 200 characters"),
        (f"{SKILLS}?q=a&query=b", "q must be given at most once"),
        (f"{SKILLS}?limit=1&limit=2", "limit must be given at most once"),
        (f"{PERSONAS}?free=yes", "free must be true or false"),
        (f"{PERSONAS}?free=", "free must be true or false"),
        *[
            (f"{PERSONAS}?minRating={rating}", MIN_RATING)
            for rating in ("0", "6", "5.01", "-1", "nan", "inf", "1e0", "four", "")
        ],
        (f"{SKILLS}?cursor=", "cursor is invalid"),
        (f"{SKILLS}?cursor=abc", "cursor is invalid"),
        (f"{SKILLS}?q=%00", "Query string must not contain NUL characters"),
        (f"{SKILLS}?%00=1", "Query string must not contain NUL characters"),
        (f"{SKILLS}?q=%ED%A0%80", "Query string must be percent-encoded UTF-8"),
    ],
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(anyone, url, error):
    answer = anyone.get(url)

    assert answer.status_code == 400
    assert answer.json() == {"error": error}


def test_other_endpoints_ignore_query_parameters(anyone, client):
    SkillFactory(slug="pdf")

    assert anyone.get(f"{SKILLS}/pdf?foo=1").status_code == 200
    assert client.get("/api/v1/agents/me?foo=1").status_code == 200


def test_a_page_holds_20_unless_told_otherwise(anyone):
    SkillFactory.create_batch(25)

    assert len(slugs(anyone.get(SKILLS))) == 20
    assert len(slugs(anyone.get(f"{SKILLS}?limit=100"))) == 25


SORTS = {
    SKILLS: ["downloads", "newest", "updated", "name", "relevance"],
    PERSONAS: ["installs", "rating", "price", "newest", "updated", "name", "relevance"],
}


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


def test_links_are_complete_urls_that_keep_the_filters(anyone):
    SkillFactory.create_batch(2, category="a&b", tags=["x", "y"])

    link = anyone.get(SKILLS, {"category": "a&b", "tag": ["x", "y"], "limit": 1}).json()["next"]

    parts = urlsplit(link)
    query = parse_qs(parts.query)
    assert (parts.scheme, parts.netloc, parts.path) == ("http", "testserver", SKILLS)
    assert query.pop("cursor")
    assert query == {"category": ["a&b"], "tag": ["x", "y"], "limit": ["1"]}


def test_the_limit_may_change_between_pages(anyone):
    SkillFactory.create_batch(6)
    cursor = cursor_of(anyone.get(f"{SKILLS}?limit=2"))

    assert len(slugs(anyone.get(SKILLS, {"limit": 3, "cursor": cursor}))) == 3


@pytest.mark.parametrize("left", [2, 0])
def test_beyond_the_last_row_the_count_is_that_of_what_is_left(anyone, left):
    skills = SkillFactory.create_batch(4, category="Data")
    SkillFactory(category="Other")
    beyond = anyone.get(f"{SKILLS}?category=Data&sort=newest&limit=2").json()["next"]
    gone = skills[: len(skills) - left]
    Skill.objects.filter(pk__in=[skill.pk for skill in gone]).update(status="withdrawn")

    answer = anyone.get(beyond).json()

    assert answer == {"results": [], "count": left, "next": None, "previous": None}


def test_lists_that_differ_in_a_value_alone_differ_in_what_they_show(anyone):
    one = SkillFactory(category="x", author="y", tags=["a", "b"], runtimes=["r"])
    other = SkillFactory(category="y", author="x", tags=["a", "c"], runtimes=["s"])
    both = [other.slug, one.slug]
    wanted = {
        "category=x": [one.slug],
        "category=y": [other.slug],
        "author=x": [other.slug],
        "author=y": [one.slug],
        "category=x&author=y": [one.slug],
        "category=x&author=x": [],
        "runtime=r": [one.slug],
        "runtime=s": [other.slug],
        "tag=a": both,
        "tag=b": [one.slug],
        "tag=a&tag=a": both,
        "tag=a&tag=c": [other.slug],
        "tag=b&tag=c": [],
        "tag=b&tag=b&runtime=r": [one.slug],
    }

    assert_shows(anyone, SKILLS, wanted)


def test_personas_by_price_and_rating_differ_in_what_they_show(anyone):
    free = PersonaFactory(rating_sum=4, rating_count=1)
    priced = PersonaFactory(price_cents=100, rating_sum=3, rating_count=1)
    wanted = {
        "free=true": [free.slug],
        "free=false": [priced.slug],
        "minRating=3": [priced.slug, free.slug],
        "minRating=4": [free.slug],
        "minRating=4&free=false": [],
        "minRating=3&free=false": [priced.slug],
    }

    assert_shows(anyone, PERSONAS, wanted)


def assert_shows(anyone, url, wanted):
    for query, found in wanted.items():
        answer = anyone.get(f"{url}?{query}&sort=newest")
        assert (slugs(answer), answer.json()["count"]) == (found, len(found)), query


def test_what_is_withdrawn_while_it_is_ranked_is_left_out(db):
    shown, gone = SkillFactory(), SkillFactory(status="withdrawn")

    ranked = RankedRows(SkillFilterSet.by_ids, [(2, gone.pk), (1, shown.pk)])

    assert [row.slug for row in ranked.fetch(None, 2)] == [shown.slug]


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

    answer = anyone.get(SKILLS, change(cursor))

    assert answer.status_code == 400
    assert answer.json() == {"error": "cursor is invalid"}


def test_a_cursor_of_the_other_list_is_refused(anyone):
    SkillFactory.create_batch(2)
    cursor = cursor_of(anyone.get(f"{SKILLS}?limit=1&sort=newest"))

    answer = anyone.get(PERSONAS, {"cursor": cursor, "sort": "newest"})

    assert answer.status_code == 400
    assert answer.json() == {"error": "cursor is invalid"}


def cursor_of(answer):
    return parse_qs(urlsplit(answer.json()["next"]).query)["cursor"][0]


@pytest.mark.parametrize("name", ["q", "query", "search"])
def test_search_finds_words_in_title_tags_and_description(anyone, name):
    SkillFactory(slug="in-description", description="Works on invoices.")
    SkillFactory(slug="in-tags", tags=["invoice"])
    SkillFactory(slug="in-title", title="Invoice Reader")
    SkillFactory(slug="elsewhere", description="Nothing of the kind.")

    answer = anyone.get(SKILLS, {name: "invoices"})

    assert slugs(answer) == ["in-title", "in-tags", "in-description"]
    assert answer.json()["count"] == 3


def test_an_exact_slug_comes_first(anyone):
    SkillFactory(slug="pdf-tables-and-more", title="PDF Tables, PDF Tables", tags=["pdf", "tables"])
    SkillFactory(slug="pdf-tables", title="Extraction")

    assert slugs(anyone.get(SKILLS, {"q": "pdf-tables"}))[0] == "pdf-tables"
    assert slugs(anyone.get(SKILLS, {"q": "PDF Tables"}))[0] == "pdf-tables"


def test_a_search_may_be_sorted_and_filtered_otherwise(anyone):
    SkillFactory(slug="a", title="Invoice", downloads=1)
    SkillFactory(slug="b", title="Of an invoice", downloads=5)
    SkillFactory(slug="c", title="Invoice", category="other")

    answer = anyone.get(SKILLS, {"q": "invoice", "sort": "downloads", "category": "development"})

    assert slugs(answer) == ["b", "a"]


@pytest.mark.parametrize("words", ["the", "'); DROP TABLE x; --", '"', "a & | ! b", "* :*", "-"])
def test_any_words_can_be_searched_for(anyone, words):
    SkillFactory()

    assert slugs(anyone.get(SKILLS, {"q": words})) == []


@pytest.mark.parametrize("path", ["/api/v1/skills", "/api/v1/skills/pdf", "/api/v1/personas"])
def test_an_unchanged_answer_is_not_sent_again(anyone, path):
    SkillFactory(slug="pdf")
    first = anyone.get(path)

    for tag in (first["ETag"], f"W/{first['ETag']}", f'"x", {first["ETag"]}', "*"):
        again = anyone.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])


def test_a_changed_answer_is_sent(anyone):
    SkillFactory(slug="pdf")
    etag = anyone.get("/api/v1/skills/pdf")["ETag"]
    Skill.objects.update(downloads=1)

    answer = anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag})

    assert answer.status_code == 200
    assert answer["ETag"] != etag


def test_a_304_says_no_length_whoever_gives_it(anyone):
    SkillFactory(slug="pdf")
    etag = anyone.get("/api/v1/skills/pdf")["ETag"]

    again = [anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag}) for _ in range(2)]
    cached_responses.clear()
    again.append(anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag}))

    assert [answer.status_code for answer in again] == [304] * 3
    assert not [answer for answer in again if "Content-Length" in answer.headers]


def test_the_same_page_is_the_same_to_the_letter_whenever_it_is_made(anyone):
    SkillFactory.create_batch(3)
    first = anyone.get(SKILLS, {"limit": 1})
    cached_responses.clear()

    assert anyone.get(SKILLS, {"limit": 1}).content == first.content
