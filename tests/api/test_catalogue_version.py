"""The catalogue version rises with every edit that a search could show."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from catalogue.models import Persona
from search.models import FacetCountDelta
from search.reads import catalogue_version
from tests.api.test_cached_searches import write
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)

SEARCHED_COLUMNS = ["title", "slug", "tags", "description", "category", "runtimes", "author"]
VERSION_CHANGES = {
    "a new skill": lambda _: SkillFactory(title="Barometer"),
    "a new persona": lambda _: PersonaFactory(title="Barometer"),
    "a publication": lambda e: write(e["draft"], status="published"),
    "a withdrawn entry": lambda e: write(e["other persona"], status="withdrawn"),
    "a draft again": lambda e: e["other skill"].redraft(),
    "a tenth download": lambda e: write(e["other skill"], downloads=10),
    "a tenth install": lambda e: write(e["other persona"], installs=10),
    "a price": lambda e: write(e["other persona"], price_cents=5),
    "a bundle": lambda e: e["other persona"].skills.add(e["skill"]),
    "an emptied bundle": lambda e: e["persona"].skills.clear(),
    "a bundle of other rows": lambda e: Persona.skills.through.objects.update(
        skill=e["other skill"]
    ),
    "a rebuilt index": lambda _: call_command("rebuild_search"),
    **{
        f"the {column} of a {kind}": lambda e, kind=kind, column=column: write(
            e[f"other {kind}"], **{column: ["y"] if column in {"tags", "runtimes"} else "y"}
        )
        for kind in ("skill", "persona")
        for column in SEARCHED_COLUMNS
    },
}


@pytest.mark.parametrize("change", VERSION_CHANGES.values(), ids=VERSION_CHANGES)
def test_an_edit_raises_it(entries, change):
    before = catalogue_version()
    change(entries)

    after = catalogue_version()

    assert after > before
    assert catalogue_version() == after


def test_each_of_two_concurrent_edits_raises_it(entries):
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

    versions = [catalogue_version()]
    with ThreadPoolExecutor(1) as elsewhere, transaction.atomic():
        write(entries["skill"], title="One")
        write(entries["skill"], title="One and a half")
        versions.append(elsewhere.submit(seen_elsewhere).result())
        elsewhere.submit(edit_another).result()
        versions.append(elsewhere.submit(seen_elsewhere).result())
    versions.append(catalogue_version())

    assert versions[0] == versions[1] < versions[2] < versions[3]
    # The second transaction left one delta, however many writes it made.
    assert FacetCountDelta.objects.filter(facet="version").count() == 1


def test_a_rolled_back_edit_does_not_raise_it_and_the_next_one_does(entries):
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


def test_it_is_none_in_a_transaction_that_has_written(entries):
    with transaction.atomic():
        assert catalogue_version() is not None
        write(entries["skill"], title="One")
        assert catalogue_version() is None


def test_it_rises_by_random_steps(entries):
    versions = [catalogue_version()]
    for number in range(4):
        write(entries["skill"], title=f"Barometer {number}")
        versions.append(catalogue_version())

    assert len({after - before for before, after in pairwise(versions)}) > 1
