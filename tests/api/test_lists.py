"""The parameters of both lists: refused values, and what filters select (contract 8.1)."""

import pytest

from tests.api.test_skills import slugs
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
SKILL_PARAMETERS = (
    "author, bundledIn, category, cursor, license, limit, q, query, runtime, search, sort, tag"
)
PERSONA_PARAMETERS = (
    "author, category, cursor, free, license, limit, minRating, q, query, runtime, search, skill, "
    "sort, tag"
)
LIMIT = "limit must be a whole number from 1 to 100"
SKILL_SORT = "sort must be one of relevance, downloads, newest, updated, name"
PERSONA_SORT = "sort must be one of relevance, installs, rating, price, newest, updated, name"
MIN_RATING = "minRating must be a number from 1 to 5"


@pytest.mark.contract("1.8", "2.9", "2.10", "8.1", "8.4", "8.6", "8.20")
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
    response = anyone.get(url)

    assert response.status_code == 400
    assert response.json() == {"error": error}


@pytest.mark.contract("2.9")
def test_other_endpoints_ignore_query_parameters(anyone, client):
    SkillFactory(slug="pdf")
    own = "/api/v1/agents/me"

    for url in (own, f"{own}/manifest", f"{own}/limits", f"{own}/tokens"):
        assert client.get(f"{url}?foo=1").status_code == 200
    assert anyone.get(f"{SKILLS}/pdf?foo=1").status_code == 200
    assert client.post(f"{own}/skills/install?foo=1", {"slug": "pdf"}).status_code == 201


@pytest.mark.contract("8.1", "8.4")
@pytest.mark.parametrize("name", ["q", "query", "search"])
@pytest.mark.parametrize(("url", "factory"), [(SKILLS, SkillFactory), (PERSONAS, PersonaFactory)])
def test_a_search_has_three_names_and_is_sorted_by_relevance(anyone, url, factory, name):
    factory(slug="tables", title="Tables")
    # Newer, so it comes first wherever the two tie.
    factory(slug="mentions", description="Also reads tables.")
    factory(slug="other")

    response = anyone.get(f"{url}?{name}=tables")

    assert slugs(response) == ["tables", "mentions"]
    assert response.json()["count"] == 2


@pytest.mark.contract("2.10", "8.1")
def test_each_filter_selects_by_its_value(anyone):
    one = SkillFactory(category="x", author="y", tags=["a", "b"], runtimes=["r"])
    other = SkillFactory(category="y", author="x", tags=["a", "c"], runtimes=["s"])
    both = [other.slug, one.slug]
    expected = {
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

    assert_shows(anyone, SKILLS, expected)


@pytest.mark.contract("8.2")
def test_personas_are_selected_by_price_and_rating(anyone):
    free = PersonaFactory(rating_sum=4, rating_count=1)
    priced = PersonaFactory(price_cents=100, rating_sum=3, rating_count=1)
    expected = {
        "free=true": [free.slug],
        "free=false": [priced.slug],
        "minRating=3": [priced.slug, free.slug],
        "minRating=4": [free.slug],
        "minRating=4&free=false": [],
        "minRating=3&free=false": [priced.slug],
    }

    assert_shows(anyone, PERSONAS, expected)


def assert_shows(anyone, url, expected):
    for query, matches in expected.items():
        response = anyone.get(f"{url}?{query}&sort=newest")
        assert (slugs(response), response.json()["count"]) == (matches, len(matches)), query
