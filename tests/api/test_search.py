"""Searching: what is found, in which order, and that the index follows the entries."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Value

from catalogue.models import FacetCount, FacetCountDelta, Persona, Skill, SkillPosting
from catalogue.search import ranking as search
from catalogue.search.facet_counts import facet_count
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"


def found(client, words, path=SKILLS, **parameters):
    answer = client.get(path, {"q": words, **parameters})
    assert answer.status_code == 200, answer.content
    assert answer.json()["count"] >= len(answer.json()["results"])
    return [row["slug"] for row in answer.json()["results"]]


@pytest.fixture
def shelf(db):
    """A few skills with nothing in common but what a test asks for."""
    for slug, title, description in (
        ("pdf-tables", "Table Extractor", "Extract tables from PDF files into CSV."),
        ("postgres-tuning", "Postgres Tuning", "Find slow queries and mend them."),
        ("psychologist", "Psychologist", "Listens, and asks how that felt."),
        ("the-who", "The Who", "A discography."),
        ("ja-testing", "テスト駆動開発", "品質のための開発手法。"),
        ("node-server", "Node.js Server", "CI/CD for snake_case names."),
    ):
        SkillFactory(slug=slug, title=title, description=description)


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("extracting a table", "pdf-tables"),  # other forms of the words
        ("how do I get the tables out of a pdf?", "pdf-tables"),  # a question
        ("pdf-tables", "pdf-tables"),  # a slug
        ("PDF TABLES", "pdf-tables"),
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
    ],
)
def test_it_finds(anyone, shelf, words, slug):
    assert found(anyone, words) == [slug]


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
def test_it_does_not_find(anyone, shelf, words):
    assert found(anyone, words) == []


@pytest.mark.parametrize("sort", ["downloads", "newest"])
def test_it_does_not_find_in_other_orders_either(anyone, shelf, sort):
    assert found(anyone, "xyzzy", sort=sort) == []


def test_a_known_word_is_not_mended(anyone):
    SkillFactory(slug="slow", title="Slow")
    SkillFactory(slug="slot", title="Slot")

    assert found(anyone, "slow") == ["slow"]


def test_of_many_unknown_words_the_longest_are_mended(anyone, shelf):
    assert found(anyone, "slaw mandibles xylophonist zymurgical") == []
    assert found(anyone, "slaw mandibles xylophonist") == ["postgres-tuning"]


def test_the_nearest_word_is_meant_and_of_these_the_most_common(anyone):
    SkillFactory(slug="plane", title="Plane")
    SkillFactory(slug="plans-one", title="Plant")
    SkillFactory(slug="plans-two", title="Plant")

    assert found(anyone, "plank") == ["plans-two", "plans-one"]


def test_entries_with_all_the_words_come_before_those_with_one(anyone):
    SkillFactory(slug="both", title="Notes", description="Turn a meeting into minutes.")
    SkillFactory(slug="one", title="Meeting", tags=["meeting"])
    SkillFactory(slug="other", title="Minutes")
    SkillFactory.create_batch(5)

    assert found(anyone, "meeting minutes")[0] == "both"
    assert set(found(anyone, "meeting minutes")) == {"both", "one", "other"}


def test_a_rare_word_weighs_more_than_a_common_one(anyone):
    SkillFactory.create_batch(5, description="Helps with data.")
    SkillFactory(slug="rare", description="Helps with zeppelins.")

    assert found(anyone, "data zeppelins")[0] == "rare"


def test_an_exact_title_comes_first_and_an_exact_slug_before_it(anyone):
    SkillFactory(slug="more", title="Web Scraper Web Scraper", tags=["web", "scraper"])
    SkillFactory(slug="titled", title="web scraper")
    SkillFactory(slug="web-scraper", title="Something Else")

    assert found(anyone, "Web Scraper") == ["web-scraper", "titled", "more"]


def test_personas_are_searched_apart_from_skills(anyone):
    SkillFactory(slug="a-skill", title="Archivist")
    PersonaFactory(slug="a-persona", title="Archivist")

    assert found(anyone, "archivist", PERSONAS) == ["a-persona"]
    assert found(anyone, "archivist") == ["a-skill"]


def test_what_is_published_edited_withdrawn_or_deleted_is_searched_as_it_is_now(anyone):
    skill = SkillFactory(slug="changing", title="Barometer", status="draft")
    assert found(anyone, "barometer") == []

    Skill.objects.filter(pk=skill.pk).update(status="published")
    assert found(anyone, "barometer") == ["changing"]

    skill.title, skill.status = "Thermometer", "published"
    skill.save()
    assert found(anyone, "barometer") == []
    assert found(anyone, "thermometer") == ["changing"]

    skill.status = "withdrawn"
    skill.save(update_fields=["status"])
    assert found(anyone, "thermometer") == []

    skill.status = "published"
    skill.save(update_fields=["status"])
    skill.delete()
    assert found(anyone, "thermometer") == []
    assert not SkillPosting.objects.exists()


def test_an_install_does_not_write_the_index(client):
    SkillFactory(slug="installed")
    SkillPosting.objects.all().delete()

    answer = client.post("/api/v1/agents/me/skills/install", {"slug": "installed"})

    assert answer.status_code == 201
    assert not SkillPosting.objects.exists()


@pytest.mark.parametrize("few", [0, 100], ids=["many pass", "few pass"])
def test_filters_apply_to_a_search(anyone, monkeypatch, few):
    monkeypatch.setattr(search, "FEW", few)
    SkillFactory(slug="a", title="An Invoice", category="money", tags=["x", "y"], author="Ada")
    SkillFactory(slug="b", title="An Invoice", category="money", tags=["x"], runtimes=["node"])
    SkillFactory(slug="c", title="An Invoice", category="other", tags=["x", "y"])
    SkillFactory(slug="d", title="A Receipt", category="money", tags=["x", "y"])

    assert found(anyone, "invoice", category="money") == ["b", "a"]
    assert found(anyone, "invoice", tag=["x", "y"]) == ["c", "a"]
    assert found(anyone, "invoice", category="money", tag="y", author="Ada") == ["a"]
    assert found(anyone, "invoice", runtime="node") == ["b"]
    assert found(anyone, "invoice", category="nothing") == []
    assert found(anyone, "receipt", category="money", sort="newest") == ["d"]
    assert found(anyone, "a", category="other") == []


def test_filters_of_personas_apply_to_a_search(anyone):
    skill = SkillFactory(slug="s")
    PersonaFactory(slug="priced", title="An Archivist", price_cents=500)
    PersonaFactory(slug="bundling", title="An Archivist", skills=[skill])
    PersonaFactory(slug="rated", title="An Archivist", rating_sum=9, rating_count=2)

    assert found(anyone, "archivist", PERSONAS, free="false") == ["priced"]
    assert found(anyone, "archivist", PERSONAS, free="true") == ["rated", "bundling"]
    assert found(anyone, "archivist", PERSONAS, skill="s") == ["bundling"]
    assert found(anyone, "archivist", PERSONAS, minRating="4") == ["rated"]


def test_a_search_has_at_most_the_best_thousand(anyone, monkeypatch):
    monkeypatch.setattr(search, "MAX_RESULTS", 3)
    for number in range(4):
        SkillFactory(slug=f"described-{number}", description="Reads an invoice.")
    SkillFactory(slug="titled", title="Invoice")

    answer = anyone.get(SKILLS, {"q": "invoice"}).json()

    assert [row["slug"] for row in answer["results"]] == ["titled", "described-3", "described-2"]
    assert answer["count"] == 3


def test_a_common_word_is_looked_at_only_so_far_and_yet_counted_whole(anyone, monkeypatch):
    monkeypatch.setattr(search, "MAX_POSTINGS", 4)
    for number in range(4):
        SkillFactory(slug=f"common-{number}", title=f"Invoice {number}")
    SkillFactory(slug="both", title="Zeppelin", description="For an invoice.")
    SkillFactory(slug="rare", title="Zeppelin", description="For a nothing.")

    # The invoice of `both` is not among the two best of that word.
    assert found(anyone, "invoice zeppelin")[:2] == ["both", "rare"]
    assert len(found(anyone, "invoice")) == 4


def test_every_filter_is_counted_as_entries_change(anyone):
    def counts(**parameters):
        return anyone.get(PERSONAS, {**parameters, "limit": 1}).json()["count"]

    persona = PersonaFactory(
        category="a", tags=["x", "x", "y"], runtimes=["node"], author="Ada", price_cents=0
    )
    PersonaFactory(category="a", tags=["x"], price_cents=100)
    assert [counts(), counts(category="a"), counts(tag="x"), counts(tag="y")] == [2, 2, 2, 1]
    assert [counts(runtime="node"), counts(author="Ada"), counts(free="true")] == [1, 1, 1]

    persona.category, persona.tags, persona.price_cents = "b", ["y"], 700
    persona.save()
    assert [counts(), counts(category="a"), counts(tag="x"), counts(tag="y")] == [2, 1, 1, 1]
    assert [counts(free="true"), counts(free="false"), counts(category="b")] == [0, 2, 1]

    Persona.objects.update(status="withdrawn")
    assert [counts(), counts(category="b"), counts(tag="x"), counts(free="false")] == [0, 0, 0, 0]


def tally(facet, value):
    """How many published skills have it, by the facet counts."""
    number = facet_count(Skill, facet, Value(value))
    return Skill.objects.values_list(number, flat=True).first()


@pytest.mark.django_db(transaction=True)
def test_staff_who_write_the_same_words_at_once_do_not_wait_for_each_other(anyone):
    first, second = SkillFactory(title="One"), SkillFactory(title="Two")

    def edit_the_second():
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")
        try:
            with transaction.atomic():
                Skill.objects.filter(pk=second.pk).update(title="Same Words")
                Skill.objects.filter(pk=second.pk).update(title="Same Words Again")
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor(1) as threads:
        Skill.objects.filter(pk=first.pk).update(title="Same Words")
        threads.submit(edit_the_second).result()

    # What could not be added up meanwhile is counted all the same.
    assert FacetCountDelta.objects.exists()
    assert tally("word", "same") == 2
    assert tally("word", "two") == 0
    assert len(found(anyone, "same words")) == 2

    SkillFactory()
    assert not FacetCountDelta.objects.exists()
    assert tally("word", "same") == 2


def test_rebuilding_says_that_nothing_has_drifted(db, capsys):
    SkillFactory(tags=["x"])
    PersonaFactory()

    call_command("rebuild_search")

    assert capsys.readouterr().out == (
        "skills: the index and the counts are true.\npersonas: the index and the counts are true.\n"
    )


def test_rebuilding_mends_what_has_drifted(anyone, capsys):
    lost = SkillFactory(slug="lost", title="Barometer")
    gone = SkillFactory(slug="gone", title="Thermometer")
    SkillFactory(slug="right", title="Hygrometer")
    SkillPosting.objects.filter(entry_id=lost.pk).delete()
    SkillPosting.objects.filter(entry_id=gone.pk, word="thermomet").update(impact=1)
    SkillPosting.objects.create(entry_id=gone.pk + 5000, word="ghost", impact=9)
    FacetCount.objects.filter(facet="all").delete()

    call_command("rebuild_search")
    call_command("rebuild_search")

    assert capsys.readouterr().out == (
        "skills: 3 entries and 1 counts had drifted and are corrected.\n"
        "personas: the index and the counts are true.\n"
        "skills: the index and the counts are true.\n"
        "personas: the index and the counts are true.\n"
    )
    assert found(anyone, "barometer") == ["lost"]
    assert found(anyone, "ghost") == []
    assert anyone.get(SKILLS).json()["count"] == 3
