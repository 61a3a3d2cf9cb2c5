"""Downloads and installs decide between search results of about the same relevance."""

import pytest

from search import ranking
from tests.api.test_search import PERSONAS, PLACES, SKILLS, slugs_for
from tests.factories import PersonaFactory, SkillFactory

POPULARITY = [(SKILLS, SkillFactory, "downloads"), (PERSONAS, PersonaFactory, "installs")]
NEAR = {"description": "Reads an invoice."}


@pytest.mark.parametrize(
    ("older", "newer", "first"),
    [
        (0, 0, "newer"),
        (9, 0, "newer"),
        (10, 9, "older"),
        (10, 99, "newer"),
        (1000, 999, "older"),
        (100_000, 10**12, "newer"),  # as popular as possible
        (99_999, 10**12, "newer"),
        (10**12, 99_999, "older"),
    ],
)
@pytest.mark.parametrize(("path", "factory", "counter"), POPULARITY)
def test_popularity_then_age_decides_between_equally_relevant_entries(
    anyone, path, factory, counter, older, newer, first
):
    factory(slug="older", **NEAR, **{counter: older})
    factory(slug="newer", **NEAR, **{counter: newer})

    assert slugs_for(anyone, "invoice", path)[0] == first


def test_popularity_outweighs_a_slightly_longer_description(anyone):
    SkillFactory(
        slug="popular", description=f"Reads an invoice. {'And files. ' * 16}", downloads=999
    )
    SkillFactory(slug="shorter", description=f"Reads an invoice. {'And files. ' * 15}")

    assert slugs_for(anyone, "invoice") == ["popular", "shorter"]


@pytest.mark.parametrize("kind", [0, 1], ids=["skills", "personas"])
def test_no_popularity_outweighs_a_better_place_of_the_word(anyone, kind):
    path, factory, counter = POPULARITY[kind]
    fields = {
        "in-category": {"category": "invoices"},
        "in-description": {"description": f"Reads an invoice. {'And more of it. ' * 6}"},
        "in-tags": {"tags": ["invoice", "a", "b"]},
        "in-title": {"title": "Invoice Reader"},
    }
    for place, (slug, values) in enumerate(fields.items()):
        factory(slug=slug, **values, **{counter: 10 ** (9 - place)})

    assert slugs_for(anyone, "invoice", path) == PLACES


def test_popularity_counts_among_the_most_relevant_alone(anyone, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_POPULAR", 2)
    for number in range(3):
        SkillFactory(slug=f"skill-{number}", **NEAR, downloads=10 ** (5 - number))

    assert slugs_for(anyone, "invoice") == ["skill-1", "skill-2", "skill-0"]


def test_no_popularity_outweighs_an_exact_name_or_a_further_word(anyone):
    SkillFactory(slug="invoice", title="Reader")
    SkillFactory(slug="titled", title="Invoice")
    SkillFactory(slug="both", title="Invoice", description="For a ledger.")
    SkillFactory(slug="one", title="Invoice of Invoices", tags=["invoice"], downloads=10**9)

    assert slugs_for(anyone, "invoice") == ["invoice", "both", "titled", "one"]
    assert slugs_for(anyone, "invoice ledger")[0] == "both"


@pytest.mark.parametrize("filters", [{}, {"category": "money"}, {"category": "money", "tag": "x"}])
def test_every_entry_of_a_ranking_by_popularity_is_on_one_page(anyone, filters):
    for number in range(9):
        SkillFactory(title="Invoice", category="money", tags=["x"], downloads=10**number)
    whole = slugs_for(anyone, "invoice", **filters)

    pages, page = [], anyone.get(SKILLS, {"q": "invoice", "limit": 2, **filters}).json()
    while page["next"]:
        pages += page["results"]
        page = anyone.get(page["next"]).json()

    assert [row["slug"] for row in pages + page["results"]] == whole
    assert len(whole) == 9
