"""GET /suggest: what the search box offers while somebody types."""

import pytest

from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)


def suggested(person, query):
    page = person.get(f"/suggest?{query}")
    assert page.status_code == 200
    return [(suggestion["label"], suggestion["url"]) for suggestion in page.json()["suggestions"]]


def test_it_offers_categories_titles_and_what_the_search_finds(person):
    SkillFactory(slug="tables", title="Table of contents", category="tabular data")
    SkillFactory(slug="pdf-tables", title="PDF tables", category="data")

    page = person.get("/suggest?kind=skill&q=ta")

    assert page.json() == {
        "suggestions": [
            {
                "label": "tabular data",
                "hint": "category, 1 skill",
                "url": "/skills?category=tabular+data",
            },
            {"label": "Table of contents", "hint": "skill", "url": "/skills/tables"},
            {"label": "PDF tables", "hint": "skill", "url": "/skills/pdf-tables"},
        ]
    }


def test_without_a_kind_it_offers_both_and_their_authors(person):
    SkillFactory(slug="tables", title="Harbour tables", author="Field Notes")
    PersonaFactory(slug="master", title="Harbour master", author="Harbour Tools")

    assert suggested(person, "q=harb") == [
        ("Harbour tables", "/skills/tables"),
        ("Harbour Tools", "/personas?author=Harbour+Tools"),
        ("Harbour master", "/personas/master"),
    ]


@pytest.mark.parametrize("text", ["ci", "data-s", "data s", "science"])
def test_a_finished_word_stays_and_hyphens_are_spaces(person, text):
    SkillFactory(slug="hunt", title="Flaky tests", description="In CI.", category="data-science")
    SkillFactory(slug="review", title="Literature, cited")

    _, url = suggested(person, f"q={text}")[0]
    assert url == ("/skills/hunt" if text == "ci" else "/skills?category=data-science")


def test_it_knows_near_spellings(person):
    SkillFactory(slug="spreadsheets", title="Spreadsheets")

    assert suggested(person, "q=spredsheets") == [("Spreadsheets", "/skills/spreadsheets")]


def test_it_knows_personas(person):
    PersonaFactory(slug="archivist", title="Archivist", category="text")
    SkillFactory(title="Archive")

    assert suggested(person, "kind=persona&q=arch") == [("Archivist", "/personas/archivist")]


@pytest.mark.parametrize("query", ["", "q=", "q=a", "q=%20", f"q={'a' * 201}", "q=zz&utm=x"])
def test_it_offers_nothing_for_nothing(person, query):
    SkillFactory(title="A")

    assert suggested(person, query) == []


def test_a_kind_that_does_not_exist_is_refused(person):
    answer = person.get("/suggest?kind=tool&q=ab")

    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "kind must be one of skill, persona"},
    )


def test_an_edit_is_in_the_next_answer(person):
    skill = SkillFactory(title="Tables")
    assert suggested(person, "q=tab") == [("Tables", f"/skills/{skill.slug}")]

    skill.withdraw()

    assert suggested(person, "q=tab") == []


def test_it_offers_a_few_of_each(person):
    for number in range(9):
        SkillFactory(slug=f"table-{number}", title=f"Table {number}", category=f"table-{number}")

    urls = [url for _, url in suggested(person, "kind=skill&q=tabl")]

    assert len([url for url in urls if "?category=" in url]) == 2
    assert len([url for url in urls if "?category=" not in url]) == 6
