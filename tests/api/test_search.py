"""Searching: matches and their order."""

import pytest

from search import ranking, reads
from tests.api.test_skills import slugs
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
PLACES = ["in-title", "in-tags", "in-description", "in-category"]


def slugs_for(client, words, path=SKILLS, **parameters):
    response = client.get(path, {"q": words, **parameters})
    assert response.status_code == 200, response.content
    assert response.json()["count"] >= len(response.json()["results"])
    return [row["slug"] for row in response.json()["results"]]


@pytest.fixture
def skills(db):
    """Some skills that share no words."""
    for slug, title, description in (
        ("pdf-tables", "Table Extractor", "Extract tables from PDF files into CSV."),
        ("postgres-tuning", "Postgres Tuning", "Find slow queries and fix them."),
        ("psychologist", "Psychologist", "Listens, and asks how that felt."),
        ("the-who", "The Who", "A discography."),
        ("ja-testing", "テスト駆動開発", "品質のための開発手法。"),
        ("node-server", "Node.js Server", "CI/CD for snake_case names."),
        ("ecole", "École Élémentaire", "Enseigne."),
    ):
        SkillFactory(slug=slug, title=title, description=description)


FOUND = [
    ("extracting a table", "pdf-tables"),  # other forms of the words
    ("how do I get the tables out of a pdf?", "pdf-tables"),  # a question
    ("pdf-tables", "pdf-tables"),  # a slug
    ("PDF TABLES", "pdf-tables"),
    ("élémentaire", "ecole"),
    ("ÉCOLE", "ecole"),
    ("postgress", "postgres-tuning"),  # a letter too many
    ("psotgres", "postgres-tuning"),  # two letters swapped
    ("slaw", "postgres-tuning"),  # one letter for another
    ("pycholigist", "psychologist"),  # two mistakes in a long word
    ("psychol", "psychologist"),  # an unfinished word
    ("the who", "the-who"),  # nothing but stop words
    ("駆動", "ja-testing"),  # a part of a text without spaces
    ("node js", "node-server"),
    ("node.js", "node-server"),
    ("ci/cd", "node-server"),
    ("snake case", "node-server"),
]


@pytest.mark.contract("8.7")
def test_it_finds(anyone, skills, alone):
    for words, slug in FOUND:
        with alone(words):
            assert slugs_for(anyone, words) == [slug]


@pytest.mark.parametrize(
    "words",
    [
        "xyzzy",
        "sable",  # as near to table as a typo, but for its first letter
        "qostgres",
        "sow",  # too short to be corrected
        "psychopathy",
        "the xyzzy",
        "発見",
    ],
)
def test_it_does_not_find(anyone, skills, words):
    assert slugs_for(anyone, words) == []


@pytest.mark.parametrize("sort", ["downloads", "newest"])
def test_it_does_not_find_in_other_orders(anyone, skills, sort):
    assert slugs_for(anyone, "xyzzy", sort=sort) == []


def test_a_word_of_the_catalogue_is_not_corrected(anyone):
    SkillFactory(slug="slow", title="Slow")
    SkillFactory(slug="slot", title="Slot")

    assert slugs_for(anyone, "slow") == ["slow"]


def test_the_longest_of_many_unknown_words_are_corrected(anyone, skills):
    assert slugs_for(anyone, "slaw mandibles xylophonist zymurgical") == []
    assert slugs_for(anyone, "slaw mandibles xylophonist") == ["postgres-tuning"]


@pytest.mark.contract("8.7")
def test_a_typo_is_corrected_to_the_nearest_and_most_common_word(anyone):
    SkillFactory(slug="plane", title="Plane")
    SkillFactory(slug="plans-one", title="Plant")
    SkillFactory(slug="plans-two", title="Plant")

    assert slugs_for(anyone, "plank") == ["plans-two", "plans-one"]


@pytest.mark.contract("8.7")
def test_entries_with_all_the_words_come_before_those_with_one(anyone):
    SkillFactory(slug="both", title="Notes", description="Turn a meeting into minutes.")
    SkillFactory(slug="one", title="Meeting", tags=["meeting"])
    SkillFactory(slug="other", title="Minutes")
    SkillFactory.create_batch(5)

    assert slugs_for(anyone, "meeting minutes")[0] == "both"
    assert set(slugs_for(anyone, "meeting minutes")) == {"both", "one", "other"}


def test_a_rare_word_weighs_more_than_a_common_one(anyone):
    SkillFactory.create_batch(5, description="Helps with data.")
    SkillFactory(slug="rare", description="Helps with zeppelins.")

    assert slugs_for(anyone, "data zeppelins")[0] == "rare"


def test_an_exact_title_comes_first_and_an_exact_slug_before_it(anyone):
    SkillFactory(slug="more", title="Web Scraper Web Scraper", tags=["web", "scraper"])
    SkillFactory(slug="titled", title="web scraper")
    SkillFactory(slug="web-scraper", title="Something Else")

    assert slugs_for(anyone, "Web Scraper") == ["web-scraper", "titled", "more"]


@pytest.mark.parametrize("words", ["lifestyle", "lifestyles", "lifestile", "lifest"])
def test_it_finds_by_a_word_that_stands_in_the_category_alone(anyone, words):
    SkillFactory(slug="found", category="health-lifestyle")
    SkillFactory(slug="other", category="health-and-safety")

    assert slugs_for(anyone, words) == ["found"]


def test_a_category_raises_those_that_have_its_word_elsewhere_too(anyone):
    SkillFactory(slug="both", description="Works on data.", category="data")
    SkillFactory(slug="one", description="Works on data.", category="security")

    assert slugs_for(anyone, "data") == ["both", "one"]


def test_a_category_makes_no_word_common(anyone):
    SkillFactory.create_batch(5, category="security")
    SkillFactory(slug="written", description="Cares for security.")
    SkillFactory.create_batch(2, description="Cares for holes.")

    assert slugs_for(anyone, "security holes")[0] == "written"


def test_personas_and_skills_are_searched_separately(anyone):
    SkillFactory(slug="a-skill", title="Archivist")
    PersonaFactory(slug="a-persona", title="Archivist")

    assert slugs_for(anyone, "archivist", PERSONAS) == ["a-persona"]
    assert slugs_for(anyone, "archivist") == ["a-skill"]


@pytest.mark.parametrize("few", [0, 100], ids=["many pass", "few pass"])
def test_filters_apply_to_a_search(anyone, monkeypatch, few):
    monkeypatch.setattr(ranking, "MAX_SCORED", few)
    SkillFactory(slug="a", title="An Invoice", category="money", tags=["x", "y"], author="Ada")
    SkillFactory(slug="b", title="An Invoice", category="money", tags=["x"], runtimes=["node"])
    SkillFactory(slug="c", title="An Invoice", category="other", tags=["x", "y"])
    SkillFactory(slug="d", title="A Receipt", category="money", tags=["x", "y"])

    assert slugs_for(anyone, "invoice", category="money") == ["b", "a"]
    assert slugs_for(anyone, "invoice", tag=["x", "y"]) == ["c", "a"]
    assert slugs_for(anyone, "invoice", category="money", tag="y", author="Ada") == ["a"]
    assert slugs_for(anyone, "invoice", runtime="node") == ["b"]
    assert slugs_for(anyone, "invoice", category="nothing") == []
    assert slugs_for(anyone, "receipt", category="money", sort="newest") == ["d"]
    assert slugs_for(anyone, "a", category="other") == []


def test_filters_of_personas_apply_to_a_search(anyone):
    skill = SkillFactory(slug="s")
    PersonaFactory(slug="priced", title="An Archivist", price_cents=500)
    PersonaFactory(slug="bundling", title="An Archivist", skills=[skill])
    PersonaFactory(slug="rated", title="An Archivist", rating_sum=9, rating_count=2)

    assert slugs_for(anyone, "archivist", PERSONAS, free="false") == ["priced"]
    assert slugs_for(anyone, "archivist", PERSONAS, free="true") == ["rated", "bundling"]
    assert slugs_for(anyone, "archivist", PERSONAS, skill="s") == ["bundling"]
    assert slugs_for(anyone, "archivist", PERSONAS, minRating="4") == ["rated"]


@pytest.mark.contract("8.8")
def test_a_search_has_at_most_the_best_thousand(anyone, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_RESULTS", 3)
    for number in range(4):
        SkillFactory(slug=f"described-{number}", description="Reads an invoice.")
    SkillFactory(slug="titled", title="Invoice")

    response = anyone.get(SKILLS, {"q": "invoice"}).json()

    assert [row["slug"] for row in response["results"]] == ["titled", "described-3", "described-2"]
    assert response["count"] == 3


def test_only_the_best_postings_of_a_common_word_are_read(anyone, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_POSTINGS", 4)
    for number in range(4):
        SkillFactory(slug=f"common-{number}", title=f"Invoice {number}")
    SkillFactory(slug="both", title="Zeppelin", description="For an invoice.")
    SkillFactory(slug="rare", title="Zeppelin", description="For a nothing.")

    # The invoice of `both` is not among the two best of that word.
    assert slugs_for(anyone, "invoice zeppelin")[:2] == ["both", "rare"]
    assert len(slugs_for(anyone, "invoice")) == 4


def test_a_cut_word_counts_beside_a_synonym(anyone, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_POSTINGS", 4)
    for number in range(4):
        SkillFactory(slug=f"common-{number}", title="Invoice")
    SkillFactory(slug="both", title="Kubernetes", description="For an invoice.")
    SkillFactory(slug="synonym", title="Kubernetes", description="For a nothing.")
    SkillFactory(slug="rare", title="K8s", description="For a nothing.")

    found = ["rare", "both", "synonym", "common-3", "common-2"]
    assert slugs_for(anyone, "invoice k8s") == found


def test_a_first_page_is_the_beginning_of_the_whole_ranking(anyone, monkeypatch):
    monkeypatch.setattr(reads, "MAX_PAGE", 1)
    monkeypatch.setattr(ranking, "MAX_POSTINGS", 4)
    SkillFactory.create_batch(3, description="Not to be found in a zeppelin.")
    for slug, title in (("other", "Zeppelin"), ("one", "Invoice"), ("two", "Invoice")):
        SkillFactory(slug=slug, title=title)
    # Its invoice is not among the two best of that word: by its zeppelin alone it would be third.
    SkillFactory(slug="both", title="Zeppelin", description="For an invoice.")

    pages = [anyone.get(SKILLS, {"q": "invoice zeppelin", "limit": 1})]
    while pages[-1].json()["next"]:
        pages.append(anyone.get(pages[-1].json()["next"]))

    assert [slugs(page) for page in pages] == [["both"], ["two"], ["one"], ["other"]]
    assert [page.json()["count"] for page in pages] == [4, 4, 4, 4]


@pytest.mark.parametrize("name", ["q", "query", "search"])
def test_search_finds_words_in_every_field(anyone, name):
    SkillFactory(slug="in-category", category="Invoices & Receipts")
    SkillFactory(slug="in-description", description="Works on invoices.")
    SkillFactory(slug="in-tags", tags=["invoice"])
    SkillFactory(slug="in-title", title="Invoice Reader")
    SkillFactory(slug="elsewhere", description="Nothing of the kind.")

    response = anyone.get(SKILLS, {name: "invoices"})

    assert slugs(response) == PLACES
    assert response.json()["count"] == 4


def test_an_exact_slug_comes_first(anyone):
    SkillFactory(slug="pdf-tables-and-more", title="PDF Tables, PDF Tables", tags=["pdf", "tables"])
    SkillFactory(slug="pdf-tables", title="Extraction")

    assert slugs(anyone.get(SKILLS, {"q": "pdf-tables"}))[0] == "pdf-tables"
    assert slugs(anyone.get(SKILLS, {"q": "PDF Tables"}))[0] == "pdf-tables"


def test_a_search_may_be_sorted_and_filtered(anyone):
    SkillFactory(slug="a", title="Invoice", downloads=1)
    SkillFactory(slug="b", title="For an invoice", downloads=5)
    SkillFactory(slug="c", title="Invoice", category="other")

    response = anyone.get(SKILLS, {"q": "invoice", "sort": "downloads", "category": "development"})

    assert slugs(response) == ["b", "a"]


@pytest.mark.contract("8.7")
@pytest.mark.parametrize("words", ["the", "'); DROP TABLE x; --", '"', "a & | ! b", "* :*", "-"])
def test_any_words_can_be_searched_for(anyone, words):
    SkillFactory()

    assert slugs(anyone.get(SKILLS, {"q": words})) == []
