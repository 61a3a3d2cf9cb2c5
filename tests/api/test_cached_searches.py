"""A search is ranked once, until something that it ranks or shows has changed."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from django.core.management import call_command
from django.db import ProgrammingError, connection, transaction

from catalogue import filters
from catalogue.management.commands import rebuild_search
from catalogue.models import FacetCountDelta, Persona, SkillPosting
from catalogue.search import ranking as search
from catalogue.search.facet_counts import catalogue_version
from marketplace.api.pagination import KeysetPagination
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = pytest.mark.django_db(transaction=True)

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"
IN_EVERY_WAY = [
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
LABELS = {"category": "weather", "tags": ["x"]}


@pytest.fixture
def rankings(monkeypatch):
    """What has been ranked: one text for each time."""
    made = []
    rank = filters.ranking

    def ranking(entries, text, **options):
        made.append(text)
        return rank(entries, text, **options)

    monkeypatch.setattr(filters, "ranking", ranking)
    return made


@pytest.fixture
def entries(transactional_db):
    skill = SkillFactory(slug="reader", title="Barometer Reader", **LABELS)
    persona = PersonaFactory(slug="keeper", title="Barometer Keeper", skills=[skill], **LABELS)
    return {
        "skill": skill,
        "persona": persona,
        "other skill": SkillFactory(slug="other", title="Thermometer"),
        "other persona": PersonaFactory(slug="other", title="Thermometer", skills=[]),
        "draft": SkillFactory(slug="draft", title="Barometer", status="draft"),
    }


def write(entry, **values):
    type(entry).objects.filter(pk=entry.pk).update(**values)


IN_VAIN = {
    "an agent": lambda _: AgentFactory(),
    "an install of another": lambda e: write(e["other skill"], downloads=1),
    "a review of another": lambda e: review(AgentFactory(), e["other persona"], 4),
    "the text of another": lambda e: write(e["other skill"], content="Other words."),
    "another draft": lambda _: SkillFactory(title="Barometer", status="draft"),
    "an edit of a draft": lambda e: write(e["draft"], title="Barometer, of course"),
    "a draft that goes": lambda e: e["draft"].delete(),
    "the same title of another": lambda e: write(e["other skill"], title="Thermometer"),
}


@pytest.mark.parametrize("change", IN_VAIN.values(), ids=IN_VAIN)
def test_what_it_does_not_show_leaves_it_as_it_is(anyone, entries, rankings, change):
    first = [anyone.get(url) for url in IN_EVERY_WAY]
    change(entries)

    again = [anyone.get(url) for url in IN_EVERY_WAY]

    assert len(rankings) == len(IN_EVERY_WAY)
    assert [answer.content for answer in again] == [answer.content for answer in first]


WRITTEN = ["title", "slug", "tags", "description", "category", "runtimes", "author"]
VERSION_CHANGES = {
    "a new skill": lambda _: SkillFactory(title="Barometer"),
    "a new persona": lambda _: PersonaFactory(title="Barometer"),
    "a draft that is published": lambda e: write(e["draft"], status="published"),
    "a withdrawal": lambda e: write(e["other persona"], status="withdrawn"),
    "a skill that goes": lambda e: e["other skill"].delete(),
    "a persona that goes": lambda e: e["other persona"].delete(),
    "a price": lambda e: write(e["other persona"], price_cents=5),
    "a bundle": lambda e: e["other persona"].skills.add(e["skill"]),
    "a bundle that is undone": lambda e: e["persona"].skills.clear(),
    "a bundle of other rows": lambda e: Persona.skills.through.objects.update(
        skill=e["other skill"]
    ),
    "a rebuilt index": lambda _: call_command("rebuild_search"),
    **{
        f"the {column} of a {kind}": lambda e, kind=kind, column=column: write(
            e[f"other {kind}"], **{column: ["y"] if column in {"tags", "runtimes"} else "y"}
        )
        for kind in ("skill", "persona")
        for column in WRITTEN
    },
}


@pytest.mark.parametrize("change", VERSION_CHANGES.values(), ids=VERSION_CHANGES)
def test_an_edit_of_what_is_found_is_another_number(entries, change):
    before = catalogue_version()
    change(entries)

    after = catalogue_version()

    assert after > before
    assert catalogue_version() == after


@pytest.mark.parametrize("url", IN_EVERY_WAY)
def test_after_an_edit_it_is_ranked_again(anyone, entries, rankings, url):
    anyone.get(url)
    for title in ("Barometer", "Zeppelin"):
        SkillFactory(title=title, **LABELS).personas.add(entries["persona"])
        PersonaFactory(title=title, skills=[entries["skill"]], **LABELS)

    answer = anyone.get(url)

    assert len(rankings) == 2
    assert answer.json()["count"] == (1 if "zeppelin" in url else 2)
    assert anyone.get(url).content == answer.content
    assert len(rankings) == 2


def test_what_it_shows_is_shown_as_it_is_now(anyone, entries):
    for url in IN_EVERY_WAY:
        anyone.get(url)
    write(entries["skill"], downloads=1)
    review(AgentFactory(), entries["persona"], 5)

    answers = [anyone.get(url).json()["results"] for url in IN_EVERY_WAY]

    assert [row["downloads"] for row in answers[0] + answers[1] + answers[2] + answers[3]] == [
        1
    ] * 4
    assert [row["ratingCount"] for row in answers[5] + answers[6] + answers[7]] == [1] * 3


def test_the_order_of_its_rows_is_part_of_it(anyone, monkeypatch, transactional_db):
    monkeypatch.setattr(search, "MAX_RESULTS", 2)
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


def test_the_links_of_its_page_are_part_of_it(anyone):
    SkillFactory.create_batch(4, title="Barometer")
    url = f"{SKILLS}?q=barometer&limit=2"
    before = anyone.get(url)
    SkillFactory(title="Thermometer")  # by which barometers are rarer

    after = anyone.get(url, headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    assert after.json()["results"] == before.json()["results"]
    assert after.json()["next"] != before.json()["next"]


def test_a_page_goes_on_after_its_last_row_whatever_was_edited_meanwhile(anyone):
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


def test_a_page_goes_on_where_its_last_row_was(anyone):
    skills = [SkillFactory(title="Barometer") for _ in range(5)][::-1]
    link = anyone.get(f"{SKILLS}?q=barometer&limit=2").json()["next"]
    skills[1].withdraw()
    SkillFactory(title="Barometer")  # so that barometers are as rare as before

    rows = anyone.get(link).json()["results"]

    assert [row["slug"] for row in rows] == [skill.slug for skill in skills[2:4]]


@pytest.mark.parametrize("sort", ["", "&sort=newest"])
def test_a_lowest_rating_is_met_by_what_has_it_now(anyone, entries, sort):
    url = f"{PERSONAS}?q=thermometer&minRating=4{sort}"
    assert anyone.get(url).json()["results"] == []
    reviewer = AgentFactory()

    for rating, found in ((5, ["other"]), (3, []), (4, ["other"])):
        review(reviewer, entries["other persona"], rating)

        assert [row["slug"] for row in anyone.get(url).json()["results"]] == found


@pytest.mark.parametrize("change", IN_VAIN.values(), ids=IN_VAIN)
def test_one_by_rating_is_ranked_again_and_not_made_again(anyone, entries, monkeypatch, change):
    review(AgentFactory(), entries["persona"], 5)
    first = anyone.get(BY_RATING)
    monkeypatch.setattr(KeysetPagination, "get_paginated_response", None)
    change(entries)

    again = anyone.get(BY_RATING)

    assert (again.status_code, again.content) == (200, first.content)
    assert [row["slug"] for row in again.json()["results"]] == ["keeper"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_edit_while_it_is_ranked_is_in_the_next_answer(anyone, entries, monkeypatch, when):
    rank = filters.ranking

    def ranking(*of, **options):
        monkeypatch.setattr(filters, "ranking", rank)
        if when == "before":
            SkillFactory(slug="new", title="Barometer")
        ranked = rank(*of, **options)
        if when == "after":
            SkillFactory(slug="new", title="Barometer")
        return ranked

    monkeypatch.setattr(filters, "ranking", ranking)
    anyone.get(f"{SKILLS}?q=barometer")

    answer = anyone.get(f"{SKILLS}?q=barometer")

    assert [row["slug"] for row in answer.json()["results"]] == ["new", "reader"]


def test_edits_at_once_are_other_numbers_whoever_ends_first(entries):
    def edit_another():
        try:
            with transaction.atomic():
                write(entries["other skill"], title="Two")
                write(entries["other skill"], title="Two and a half")
        finally:
            connection.close()

    def seen_elsewhere():
        try:
            return catalogue_version()
        finally:
            connection.close()

    numbers = [catalogue_version()]
    with ThreadPoolExecutor(1) as elsewhere, transaction.atomic():
        write(entries["skill"], title="One")
        write(entries["skill"], title="One and a half")
        numbers.append(elsewhere.submit(seen_elsewhere).result())
        elsewhere.submit(edit_another).result()
        numbers.append(elsewhere.submit(seen_elsewhere).result())
    numbers.append(catalogue_version())

    assert numbers[0] == numbers[1] < numbers[2] < numbers[3]
    # What the other had to leave to be added up is one row, however much it wrote.
    assert FacetCountDelta.objects.filter(facet="version").count() == 1


def test_an_edit_that_is_undone_does_not_count_and_the_next_one_does(entries):
    before = catalogue_version()
    with transaction.atomic():
        write(entries["skill"], title="One")
        transaction.set_rollback(True)
    undone = catalogue_version()
    with transaction.atomic():
        with transaction.atomic():
            write(entries["skill"], title="One")
            transaction.set_rollback(True)
        write(entries["skill"], title="Two")

    assert undone == before < catalogue_version()


def test_a_transaction_that_writes_is_told_no_number(entries):
    with transaction.atomic():
        assert catalogue_version() is not None
        write(entries["skill"], title="One")
        assert catalogue_version() is None


def test_a_rebuild_that_is_interrupted_counts_as_far_as_it_came(anyone, entries, monkeypatch):
    SkillPosting.objects.filter(entry_id=entries["skill"].pk).delete()
    assert anyone.get(f"{SKILLS}?q=barometer").json()["results"] == []
    monkeypatch.setattr(rebuild_search, "FIX_FACET_COUNTS", "no SQL at all")

    with pytest.raises(ProgrammingError):
        call_command("rebuild_search")

    assert anyone.get(f"{SKILLS}?q=barometer").json()["count"] == 1


def test_numbers_rise_by_chance(entries):
    numbers = [catalogue_version()]
    for number in range(4):
        write(entries["skill"], title=f"Barometer {number}")
        numbers.append(catalogue_version())

    assert len({after - before for before, after in pairwise(numbers)}) > 1
