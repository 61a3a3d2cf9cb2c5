"""The catalogue version rises with every edit that a search could show."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from catalogue.models import FacetCountDelta, Persona
from catalogue.search.ranking import catalogue_version
from tests.api.test_cached_searches import write
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)
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


def test_numbers_rise_by_chance(entries):
    numbers = [catalogue_version()]
    for number in range(4):
        write(entries["skill"], title=f"Barometer {number}")
        numbers.append(catalogue_version())

    assert len({after - before for before, after in pairwise(numbers)}) > 1
