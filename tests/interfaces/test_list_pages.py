"""The lists of the website: the API's own, with filters and pages to go through."""

import re
from html import escape, unescape
from urllib.parse import urlsplit

import pytest

from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import entries, links, text_of


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

    slugs = entries(person.get(f"/skills?{query}"))

    results = anyone.get(f"/api/v1/skills?{query}").json()["results"]
    assert slugs == [row["slug"] for row in results]


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


def test_empty_form_fields_do_not_filter(person, catalogue):
    page = person.get("/personas?q=&sort=&free=&minRating=")

    assert entries(page) == ["archivist"]


def test_each_filter_that_is_set_can_be_taken_away(person, catalogue):
    page = person.get("/skills?q=tables&tag=pdf&tag=x&category=data&sort=name")

    for label, without in {
        "category: data": "?q=tables&tag=pdf&tag=x&sort=name",
        "tag: pdf": "?q=tables&tag=x&category=data&sort=name",
        "tag: x": "?q=tables&tag=pdf&category=data&sort=name",
    }.items():
        assert (
            f'href="{escape(without)}"><span class="unseen">Remove the filter </span>{label} '
            in (text_of(page))
        )
    assert "?q=tables&sort=name" in links(page)  # clear all
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', text_of(page))
    assert hidden == [("tag", "pdf"), ("tag", "x"), ("category", "data"), ("sort", "name")]


def test_a_list_has_two_views_and_its_links_keep_the_view(person, catalogue):
    SkillFactory.create_batch(2, category="data")

    rows = person.get("/skills?category=data&view=list&limit=1")

    assert '<ul class="rows">' in text_of(rows)
    assert '<ul class="cards">' in text_of(person.get("/skills?view=nothing"))
    switch = {"?category=data&limit=1", "?category=data&limit=1&view=list"}
    others = {
        *("?limit=1&view=list", "?category=data&limit=1&view=list&sort=name"),
        "?category=data&limit=1&view=list&license=MIT",
    }
    assert switch | others <= {*links(rows)}
    (following,) = [link for link in links(rows) if "cursor=" in link]
    assert '<ul class="rows">' in text_of(person.get(following))
    assert '<input type="hidden" name="view" value="list">' in text_of(rows)
    assert '<link rel="canonical" href="http://testserver/skills?category=data">' in text_of(rows)


def test_an_order_is_a_link_and_the_usual_one_is_in_no_address(person, catalogue):
    text = text_of(person.get("/skills?sort=name&category=data"))

    sorts = re.findall(
        r'<li><a rel="nofollow" href="([^"]*)"( aria-current="true")?>([^<]*)</a>', text
    )
    assert [(unescape(link), is_set != "", label) for link, is_set, label in sorts[:4]] == [
        ("?category=data", False, "Most installed"),
        ("?sort=newest&category=data", False, "Newest"),
        ("?sort=updated&category=data", False, "Last updated"),
        ("?sort=name&category=data", True, "Name"),
    ]
    assert "Best match" in text_of(person.get("/skills?q=tables"))


def test_no_filter_is_changed_with_the_cursor_of_another(person, catalogue):
    SkillFactory.create_batch(2, category="data")
    first = person.get("/skills?limit=1&category=data")
    (following,) = [link for link in links(first) if "cursor=" in link]

    second = person.get(following)

    assert "?limit=1" in links(second)
    assert not [link for link in links(second) if link.startswith("?") and "cursor=" in link]
