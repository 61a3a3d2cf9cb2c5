"""A search is cached until something that it ranks or shows changes."""

import pytest
from django.core.management import call_command
from django.db import ProgrammingError

from marketplace.api.lists import KeysetPage
from search import ranking as search_ranking
from search import reads as search_reads
from search.management.commands import rebuild_search
from search.models import SkillPosting
from search.reads import CompiledRanking
from tests.api.conftest import LABELS
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = pytest.mark.django_db(transaction=True)

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
SEARCHES = [
    f"{SKILLS}?q=barometer",
    f"{SKILLS}?q=barometer&sort=downloads",
    f"{SKILLS}?q=barometer&category=weather&tag=x",
    f"{SKILLS}?q=barometer&bundledIn=keeper",
    f"{SKILLS}?q=zeppelin",
    f"{PERSONAS}?q=barometer",
    f"{PERSONAS}?q=barometer&skill=reader&free=true",
    f"{PERSONAS}?q=barometer&sort=rating",
]
BY_RATING = f"{PERSONAS}?q=barometer&minRating=4"


@pytest.fixture
def rankings(monkeypatch):
    """The text of each search that was ranked."""
    made = []
    rank = CompiledRanking.__call__

    def ranking(compiled, text, **options):
        made.append(text)
        return rank(compiled, text, **options)

    monkeypatch.setattr(CompiledRanking, "__call__", ranking)
    return made


def write(entry, **values):
    type(entry).objects.filter(pk=entry.pk).update(**values)


UNRELATED_CHANGES = {
    "an agent": lambda _: AgentFactory(),
    "an install of another": lambda e: write(e["other skill"], downloads=1),
    "nine installs of another": lambda e: write(e["other persona"], installs=9),
    "the tenth of a draft": lambda e: write(e["draft"], downloads=10),
    "a review of another": lambda e: review(AgentFactory(), e["other persona"], 4),
    "the text of another": lambda e: write(e["other skill"], content="Other words."),
    "another draft": lambda _: SkillFactory(title="Barometer", status="draft"),
    "an edit of a draft": lambda e: write(e["draft"], title="Barometer, of course"),
    "a draft that goes": lambda e: e["draft"].delete(),
    "the same title of another": lambda e: write(e["other skill"], title="Thermometer"),
}


@pytest.mark.infrastructure
@pytest.mark.parametrize("change", UNRELATED_CHANGES.values(), ids=UNRELATED_CHANGES)
def test_a_change_that_it_does_not_show_leaves_it_cached(anyone, entries, rankings, change):
    first = [anyone.get(url) for url in SEARCHES]
    change(entries)

    again = [anyone.get(url) for url in SEARCHES]

    assert len(rankings) == len(SEARCHES)
    assert [response.content for response in again] == [response.content for response in first]


@pytest.mark.infrastructure
@pytest.mark.parametrize("url", SEARCHES)
def test_after_an_edit_it_is_ranked_again(anyone, entries, rankings, url):
    anyone.get(url)
    for title in ("Barometer", "Zeppelin"):
        SkillFactory(title=title, **LABELS).personas.add(entries["persona"])
        PersonaFactory(title=title, skills=[entries["skill"]], **LABELS)

    response = anyone.get(url)

    assert len(rankings) == 2
    assert response.json()["count"] == (1 if "zeppelin" in url else 2)
    assert anyone.get(url).content == response.content
    assert len(rankings) == 2


def test_its_rows_show_their_current_values(anyone, entries):
    for url in SEARCHES:
        anyone.get(url)
    write(entries["skill"], downloads=1)
    review(AgentFactory(), entries["persona"], 5)

    responses = [anyone.get(url).json()["results"] for url in SEARCHES]

    assert [
        row["downloads"] for row in responses[0] + responses[1] + responses[2] + responses[3]
    ] == [1] * 4
    assert [row["ratingCount"] for row in responses[5] + responses[6] + responses[7]] == [1] * 3


@pytest.mark.infrastructure
@pytest.mark.parametrize(
    ("path", "factory", "counter"),
    [(SKILLS, SkillFactory, "downloads"), (PERSONAS, PersonaFactory, "installs")],
)
def test_the_install_that_reaches_a_power_of_ten_counts_at_once(
    client_of, anyone, rankings, path, factory, counter
):
    # The page shows the newest, and depends on the row after it.
    for slug in ("older", "newer", "newest"):
        factory(slug=slug, title="Barometer", **{counter: 98})
    first = []
    for _ in range(3):
        rows = anyone.get(f"{path}?q=barometer&limit=1").json()["results"]
        first.append((rows[0]["slug"], len(rankings)))
        install = f"{path.replace('/v1/', '/v1/agents/me/')}/install"
        response = client_of(AgentFactory()).post(install, {"slug": "older"})
        assert response.status_code == 201

    assert first == [("newest", 1), ("newest", 1), ("older", 2)]


def test_another_order_of_its_rows_is_another_response(anyone, monkeypatch, transactional_db):
    monkeypatch.setattr(search_ranking, "MAX_RESULTS", 2)
    SkillFactory(slug="zeppelin", title="Zeppelin")
    SkillFactory(slug="barometer", title="Barometer")
    before = anyone.get(f"{SKILLS}?q=barometer+zeppelin")
    SkillFactory(description=f"Not much of a barometer. {'Long. ' * 100}")

    after = anyone.get(
        f"{SKILLS}?q=barometer+zeppelin", headers={"If-None-Match": before.headers["ETag"]}
    )

    assert [row["slug"] for row in before.json()["results"]] == ["barometer", "zeppelin"]
    assert after.status_code == 200
    assert after.json() == {**before.json(), "results": before.json()["results"][::-1]}


def test_other_links_are_another_response(anyone):
    SkillFactory.create_batch(4, title="Barometer")
    url = f"{SKILLS}?q=barometer&limit=2"
    before = anyone.get(url)
    SkillFactory(title="Thermometer")  # makes barometers rarer

    after = anyone.get(url, headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    assert after.json()["results"] == before.json()["results"]
    assert after.json()["next"] != before.json()["next"]


def test_the_next_page_begins_after_the_last_row_despite_edits(anyone):
    slugs = [SkillFactory(title="Barometer").slug for _ in range(5)][::-1]
    url = f"{SKILLS}?q=barometer&limit=2"
    for title in ("Thermometer", "Barometer of all"):
        link = anyone.get(url).json()["next"]
        SkillFactory(title=title)

        second = anyone.get(link).json()

        assert [row["slug"] for row in second["results"]] == slugs[2:4]
        third = anyone.get(second["next"]).json()
        assert third["results"][0]["slug"] == slugs[4]
        back = anyone.get(third["previous"]).json()
        assert [row["slug"] for row in back["results"]] == slugs[2:4]


@pytest.mark.parametrize("filters", ["", "&category=development"])
def test_the_next_page_begins_where_a_withdrawn_last_row_was(anyone, filters):
    skills = [SkillFactory(title="Barometer", downloads=10) for _ in range(5)][::-1]
    link = anyone.get(f"{SKILLS}?q=barometer&limit=2{filters}").json()["next"]
    skills[1].withdraw()
    SkillFactory(title="Barometer", downloads=10)  # keeps barometers as rare as before

    rows = anyone.get(link).json()["results"]

    assert [row["slug"] for row in rows] == [skill.slug for skill in skills[2:4]]


@pytest.mark.parametrize("sort", ["", "&sort=newest"])
def test_min_rating_selects_by_the_current_rating(anyone, entries, sort):
    url = f"{PERSONAS}?q=thermometer&minRating=4{sort}"
    assert anyone.get(url).json()["results"] == []
    reviewer = AgentFactory()

    for rating, slugs in ((5, ["other"]), (3, []), (4, ["other"])):
        review(reviewer, entries["other persona"], rating)

        assert [row["slug"] for row in anyone.get(url).json()["results"]] == slugs


@pytest.mark.infrastructure
@pytest.mark.parametrize("change", UNRELATED_CHANGES.values(), ids=UNRELATED_CHANGES)
def test_one_by_rating_is_ranked_again_and_not_rendered_again(anyone, entries, monkeypatch, change):
    review(AgentFactory(), entries["persona"], 5)
    first = anyone.get(BY_RATING)
    monkeypatch.setattr(KeysetPage, "get_paginated_response", None)
    change(entries)

    again = anyone.get(BY_RATING)

    assert (again.status_code, again.content) == (200, first.content)
    assert [row["slug"] for row in again.json()["results"]] == ["keeper"]


def test_an_edit_after_the_ranking_is_in_the_next_response(anyone, entries, monkeypatch):
    rank = CompiledRanking.__call__

    def ranking(*of, **options):
        monkeypatch.setattr(CompiledRanking, "__call__", rank)
        ranked = rank(*of, **options)
        SkillFactory(slug="new", title="Barometer")
        return ranked

    monkeypatch.setattr(CompiledRanking, "__call__", ranking)
    anyone.get(f"{SKILLS}?q=barometer")

    response = anyone.get(f"{SKILLS}?q=barometer")

    assert [row["slug"] for row in response.json()["results"]] == ["new", "reader"]


def test_an_edit_after_a_correction_is_in_the_next_response(anyone, entries, monkeypatch):
    correct = search_reads.corrected_words

    def corrected_words(*of):
        monkeypatch.setattr(search_reads, "corrected_words", correct)
        words = correct(*of)
        SkillFactory(slug="new", title="A Barometter")
        return words

    monkeypatch.setattr(search_reads, "corrected_words", corrected_words)
    corrected = anyone.get(f"{SKILLS}?q=barometter")

    response = anyone.get(f"{SKILLS}?q=barometter")

    assert [row["slug"] for row in corrected.json()["results"]] == ["reader"]
    assert [row["slug"] for row in response.json()["results"]] == ["new"]


def test_an_interrupted_rebuild_invalidates_the_cache(anyone, entries, monkeypatch):
    SkillPosting.objects.filter(entry_id=entries["skill"].pk).delete()
    assert anyone.get(f"{SKILLS}?q=barometer").json()["results"] == []
    monkeypatch.setattr(rebuild_search, "FIX_FACET_COUNTS", "no SQL at all")

    with pytest.raises(ProgrammingError):
        call_command("rebuild_search")

    assert anyone.get(f"{SKILLS}?q=barometer").json()["count"] == 1
