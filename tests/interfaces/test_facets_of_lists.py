"""What there is to filter by, beside a list of the website."""

import re
from html import unescape

import pytest

from catalogue.models import Skill
from interfaces.website.lists import MAX_CHOICES
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review
from tests.interfaces.pages import entries, links, text_of, visible

pytestmark = pytest.mark.django_db(transaction=True)


def facets(page):
    """`{title: [(label, number, query string, whether it is set)]}`."""
    (nav,) = re.findall(r'<nav id="facets".*?</nav>', text_of(page), re.DOTALL)
    groups = {}
    for title, values in re.findall(r"<h2>(.*?)</h2>\s*<ul>(.*?)</ul>", nav, re.DOTALL):
        links = re.findall(
            r'<a rel="nofollow" href="([^"]*)"( aria-current="true")?>(.*?)</a>', values
        )
        groups[title] = [
            (
                *re.fullmatch(r"(.*?)(?: <span>(.*)</span>)?", text).groups(),
                unescape(query),
                is_set != "",
            )
            for query, is_set, text in links
        ]
    return groups


def test_it_counts_what_there_is(person):
    SkillFactory.create_batch(2, category="data", runtimes=["python"], license="MIT")
    SkillFactory(category="text & more", runtimes=["python", "shell"])
    SkillFactory(category="text & more", status="draft")

    assert facets(person.get("/skills?sort=name")) == {
        "Category": [
            ("data", "2", "?sort=name&category=data", False),
            ("text &amp; more", "1", "?sort=name&category=text+%26+more", False),
        ],
        "Runtime": [
            ("python", "3", "?sort=name&runtime=python", False),
            ("shell", "1", "?sort=name&runtime=shell", False),
        ],
        "License": [("MIT", "2", "?sort=name&license=MIT", False)],
    }


def test_several_are_set_at_once_and_a_set_one_takes_itself_away(person):
    SkillFactory(slug="found", category="data", runtimes=["python"])
    SkillFactory(category="data")

    page = person.get("/skills?category=data&runtime=python")

    assert entries(page) == ["found"]
    assert facets(page)["Category"][0] == ("data", "1", "?runtime=python", True)
    assert facets(page)["Runtime"][0] == ("python", "1", "?category=data", True)


def test_a_number_is_the_length_of_the_list_that_its_link_leads_to(person):
    SkillFactory.create_batch(2, category="data", runtimes=["python"], license="MIT")
    SkillFactory(category="Data", runtimes=["shell"], license="mit")
    SkillFactory(category="text", runtimes=["python", "shell"])
    SkillFactory(category="text", runtimes=["node"], status="draft")

    groups = facets(person.get("/skills?category=data"))

    assert groups == {
        "Category": [("data", "3", "?", True), ("text", "1", "?category=text", False)],
        "Runtime": [
            ("python", "2", "?category=data&runtime=python", False),
            ("shell", "1", "?category=data&runtime=shell", False),
        ],
        "License": [("MIT", "3", "?category=data&license=MIT", False)],
    }
    groups = facets(person.get("/skills?category=data&runtime=shell"))
    assert groups["Category"] == [
        ("Data", "1", "?runtime=shell", True),
        ("text", "1", "?category=text&runtime=shell", False),
    ]
    assert groups["License"] == [("mit", "1", "?category=data&runtime=shell&license=mit", False)]
    groups = facets(person.get("/skills?q=skill&category=data"))
    assert [number for rows in groups.values() for _, number, *_ in rows] == [None] * 5


def test_too_many_entries_are_not_counted(person, monkeypatch):
    monkeypatch.setattr("search.narrowed_facets.MAX_COUNTED", 2)
    SkillFactory.create_batch(3, category="data", license="MIT")
    SkillFactory.create_batch(2, category="text", license="MIT")

    assert facets(person.get("/skills?category=data"))["License"][0][1] is None
    assert facets(person.get("/skills?category=text"))["License"][0][1] == "2"


def test_a_review_changes_the_numbers_of_the_rated(person):
    review(AgentFactory(), PersonaFactory(category="data"), 5)
    other = PersonaFactory(category="text")
    path = "/personas?minRating=4&category=data"
    assert facets(person.get(path))["Category"] == [("data", "1", "?minRating=4", True)]

    review(AgentFactory(), other, 5)

    # The list is the same.
    assert facets(person.get(path))["Category"] == [
        ("data", "1", "?minRating=4", True),
        ("text", "1", "?minRating=4&category=text", False),
    ]


def test_personas_have_prices_and_ratings_too(person):
    review(AgentFactory(), PersonaFactory(slug="loved"), 5)
    PersonaFactory(slug="priced", price_cents=5)

    groups = facets(person.get("/personas"))
    assert groups["Price"] == [
        ("Paid", "1", "?free=false", False),
        ("Free", "1", "?free=true", False),
    ]
    assert groups["Rating"][0] == ("4 and up", None, "?minRating=4", False)
    page = person.get("/personas?minRating=4&free=true")
    assert entries(page) == ["loved"]
    assert "Remove the filter Free" in visible(page)
    assert "Remove the filter Rated 4 and up" in visible(page)


def test_an_edit_changes_the_numbers_at_once(person):
    SkillFactory.create_batch(2, category="data")
    assert facets(person.get("/skills"))["Category"] == [("data", "2", "?category=data", False)]

    Skill.objects.first().withdraw()

    assert facets(person.get("/skills"))["Category"] == [("data", "1", "?category=data", False)]


def test_a_page_says_which_of_how_many_it_shows(person):
    SkillFactory.create_batch(5)
    numbers, path = [], "/skills?limit=2"
    while path:
        page = person.get(path)
        numbers.append(re.search(r'class="total">(.*?)</p>', text_of(page))[1])
        (path,) = re.findall(r'rel="next" href="([^"]*)', text_of(page)) or [""]
        path = unescape(path)

    assert numbers == ["1-2 of 5 skills", "3-4 of 5 skills", "5-5 of 5 skills"]
    (back,) = re.findall(r'rel="prev" href="([^"]*)', text_of(page))
    assert "3-4 of 5 skills" in visible(person.get(unescape(back)))


@pytest.mark.parametrize("before", ["x", "-1", "99999999999999", "7"])
def test_a_number_that_cannot_be_is_not_shown(person, before):
    SkillFactory.create_batch(3)
    (following,) = re.findall(r'rel="next" href="([^"]*)', text_of(person.get("/skills?limit=1")))

    page = person.get(unescape(following).replace("before=1", f"before={before}"))

    assert re.search(r'class="total">(.*?)</p>', text_of(page))[1] == "3 skills"
    assert person.get(f"/skills?before={before}").status_code == 200


def test_a_rare_value_waits_behind_the_common_ones_unless_it_is_set(person):
    for number in range(10):
        SkillFactory.create_batch(1 + (number < 9), category=f"category-{number}")

    page = text_of(person.get("/skills"))
    assert re.search(
        r"<details><summary>2 more</summary>.*category-8.*category-9.*</details>", page, re.DOTALL
    )
    assert facets(person.get("/skills?category=category-9"))["Category"][0] == (
        *("category-9", "1", "?", True),
    )


def test_a_value_that_is_set_is_shown_even_if_it_is_not_among_the_most_common(person):
    for number in range(MAX_CHOICES + 1):
        SkillFactory(category=f"category-{number:02}")
    PersonaFactory()
    rare = f"category-{MAX_CHOICES}"
    assert f"category={rare}" not in text_of(person.get("/skills"))

    groups = facets(person.get(f"/skills?category={rare}&runtime=none"))
    assert groups["Category"][0] == (rare, None, "?runtime=none", True)
    assert groups["Runtime"][0] == ("none", None, f"?category={rare}", True)
    groups = facets(person.get("/personas?free=false&minRating=3.5"))
    assert groups["Price"][0] == ("Paid", None, "?minRating=3.5", True)
    assert groups["Rating"][0] == ("3.5 and up", None, "?free=false", True)


def test_a_list_without_results_leads_on(person):
    SkillFactory(category="data")

    page = person.get("/skills?q=nothing&category=data")

    text = visible(page)
    assert "No skills match." in text
    assert "Search without category: data" in text
    assert "Search personas" in text
    assert "/personas?q=nothing" in links(page)
    assert '<a href="?q=nothing">' in text_of(page)
