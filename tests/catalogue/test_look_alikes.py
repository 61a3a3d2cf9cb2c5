"""Slugs that people take for each other."""

import pytest

from catalogue.models import Persona, Skill, look_alikes
from tests.factories import PersonaFactory, SkillFactory

pytestmark = [pytest.mark.django_db, pytest.mark.contract("28.10")]


@pytest.mark.parametrize(
    ("slug", "published"),
    [
        ("pdf-tab1es", "pdf-tables"),
        ("pdf-tabies", "pdf-tab1es"),
        ("f0rm", "form"),
        ("forrn", "form"),
        ("r-nodes", "modes"),
        ("pdftables", "pdf-tables"),
        ("pdf-t-ables", "pdf-tables"),
        ("sales-force", "salesforce"),
        ("pdf-table", "pdf-tables"),
        ("pdfs-table", "pdf-tables"),
        ("pdftable", "pdfs-table"),
        ("class", "clas"),
        ("pdf-f1iter", "pdfs-fi1ters"),
    ],
)
def test_slugs_that_look_alike(slug, published):
    SkillFactory(slug=published)
    assert look_alikes(Skill, [slug]) == {slug: published}
    Skill.objects.update(slug=slug)
    assert look_alikes(Skill, [published]) == {published: slug}


@pytest.mark.parametrize(
    ("slug", "published"),
    [
        ("pdf-tables", "pdf-tables"),
        ("pdf-tables", "pdf-tablet"),
        ("pdf-tables", "csv-tables"),
        ("sand", "and"),
        ("tests", "test-2"),
        ("pest", "pet"),
    ],
)
def test_slugs_that_do_not(slug, published):
    SkillFactory(slug=published)
    assert look_alikes(Skill, [slug]) == {}


def test_only_published_ones_of_the_same_kind_count():
    SkillFactory(slug="tables", status="draft")
    SkillFactory(slug="tab1e", status="withdrawn")
    PersonaFactory(slug="tab-les")

    assert look_alikes(Skill, ["table"]) == {}
    assert look_alikes(Persona, ["table"]) == {"table": "tab-les"}


def test_a_batch_takes_one_query(django_assert_num_queries):
    kept = SkillFactory(slug="tables")
    SkillFactory(slug="tab1es")
    SkillFactory(slug="forms")

    with django_assert_num_queries(1):
        found = look_alikes(Skill, (slug for slug in ["table", "form", "pdf"]))
    assert found == {"table": "tab1es", "form": "forms"}
    assert look_alikes(Skill, ["tabie"], besides=kept.pk) == {"tabie": "tab1es"}
    with django_assert_num_queries(0):
        assert look_alikes(Skill, []) == {}
