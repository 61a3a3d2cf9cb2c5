"""The search index and the facet counts follow the entries."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from catalogue.models import Persona, Skill
from search.models import FacetCount, FacetCountDelta, SkillPosting
from tests.api.test_search import slugs_for
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"


def test_it_follows_every_change_of_an_entry(anyone):
    skill = SkillFactory(slug="changing", title="Barometer", status="draft")
    assert slugs_for(anyone, "barometer") == []

    Skill.objects.filter(pk=skill.pk).update(status="published")
    assert slugs_for(anyone, "barometer") == ["changing"]

    skill.title, skill.status = "Thermometer", "published"
    skill.save()
    assert slugs_for(anyone, "barometer") == []
    assert slugs_for(anyone, "thermometer") == ["changing"]

    skill.status = "withdrawn"
    skill.save(update_fields=["status"])
    assert slugs_for(anyone, "thermometer") == []

    skill.status = "published"
    skill.save(update_fields=["status"])
    skill.redraft()
    assert slugs_for(anyone, "thermometer") == []
    assert not SkillPosting.objects.exists()


@pytest.mark.parametrize("downloads", [0, 9])
def test_an_install_does_not_write_the_index(client, downloads):
    SkillFactory(slug="installed", downloads=downloads)
    SkillPosting.objects.all().delete()

    response = client.post("/api/v1/agents/me/skills/install", {"slug": "installed"})

    assert response.status_code == 201
    assert not SkillPosting.objects.exists()


@pytest.mark.contract("8.8")
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


def skills_with(facet, value):
    """The number of published skills with it, by the facet counts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT search_count('skill', %s, %s)", [facet, value])
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_concurrent_edits_of_the_same_words_do_not_block(anyone):
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

    # The delta that the second edit left is counted.
    assert FacetCountDelta.objects.exists()
    assert skills_with("word", "same") == 2
    assert skills_with("word", "two") == 0
    assert len(slugs_for(anyone, "same words")) == 2

    SkillFactory()
    assert not FacetCountDelta.objects.exists()
    assert skills_with("word", "same") == 2


def test_a_rebuild_reports_that_nothing_has_drifted(db, capsys):
    SkillFactory(tags=["x"])
    PersonaFactory()

    call_command("rebuild_search")

    assert capsys.readouterr().out == (
        "skills: the index and the counts are correct.\n"
        "personas: the index and the counts are correct.\n"
    )


def test_a_rebuild_corrects_what_has_drifted(anyone, capsys):
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
        "personas: the index and the counts are correct.\n"
        "skills: the index and the counts are correct.\n"
        "personas: the index and the counts are correct.\n"
    )
    assert slugs_for(anyone, "barometer") == ["lost"]
    assert slugs_for(anyone, "ghost") == []
    assert anyone.get(SKILLS).json()["count"] == 3
