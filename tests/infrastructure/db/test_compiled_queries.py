"""Querysets that are compiled once return the same rows as before, as named tuples."""

import pytest
from django.db import connection
from django.db.models import Value
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from infrastructure.db.compiled_queries import compiled, versioned
from marketplace.rows import from_row
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db


@compiled
def by_slug(slug):
    return Skill.objects.filter(slug=slug)


@versioned
def in_detail(slug):
    return Skill.objects.published().with_row_version().in_detail().filter(slug=slug).order_by()


def test_a_row_has_the_fields_of_the_model():
    SkillFactory(slug="other")
    skill = SkillFactory(slug="pdf", tags=["x"], files={"a.py": b"1"})

    [row] = by_slug(slug="pdf")

    stored = Skill.objects.get(pk=skill.pk)
    names = [field.attname for field in Skill._meta.concrete_fields]
    assert row._fields == ("pk", *names)
    assert row == (skill.pk, *(getattr(stored, name) for name in names))
    assert row.files == stored.files != []


def test_rows_have_annotations_and_no_deferred_columns():
    PersonaFactory(slug="keeper", skills=[SkillFactory(slug="pdf")])
    listed = compiled(Persona.objects.for_list)
    only = compiled(lambda: Skill.objects.only("slug").annotate(one=Value(1)))

    [row], [few] = listed(), only()

    assert (row.slug, row.skill_slugs, row.successor_slug) == ("keeper", ["pdf"], None)
    assert not {"content", "successor_id", "status"} & {*row._fields}
    assert (few._fields, few[1:]) == (("pk", "slug", "one"), ("pdf", 1))


def test_a_queryset_of_values_keeps_them():
    SkillFactory(slug="pdf", title="PDF")
    PersonaFactory(slug="keeper", title="Keeper")

    @compiled
    def titles(slug):
        skills, personas = (
            model.objects.exclude(slug=slug).annotate(kind=Value(kind)).order_by()
            for model, kind in ((Skill, "skill"), (Persona, "persona"))
        )
        names = ["kind", "slug", "title"]
        return skills.values_list(*names).union(personas.values_list(*names)).order_by("kind")

    rows = titles(slug="none")

    assert [row._asdict() for row in rows] == [
        {"kind": "persona", "slug": "keeper", "title": "Keeper"},
        {"kind": "skill", "slug": "pdf", "title": "PDF"},
    ]
    assert titles(slug="pdf") == rows[:1]


def test_the_first_row_or_none():
    SkillFactory(slug="pdf")

    assert by_slug.first(slug="pdf").slug == "pdf"
    assert by_slug.first(slug="none") is None
    assert by_slug(slug="none") == []


def test_a_queryset_that_can_have_no_rows_asks_nothing():
    nothing = compiled(Skill.objects.none)

    with CaptureQueriesContext(connection) as captured:
        assert (nothing(), nothing.first()) == ([], None)

    assert captured.captured_queries == []


def test_it_is_compiled_once_and_each_run_has_its_values():
    calls = []

    @compiled
    def between(least, most):
        calls.append((least, most))
        return Skill.objects.filter(downloads__gte=least, downloads__lte=most).order_by("downloads")

    for downloads in (1, 2, 3):
        SkillFactory(downloads=downloads)

    assert [row.downloads for row in between(least=2, most=3)] == [2, 3]
    assert [row.downloads for row in between(most=2, least=1)] == [1, 2]
    assert len(calls) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("write", "is_another"),
    [
        (lambda skill: Skill.objects.filter(pk=skill.pk).update(downloads=9), True),
        (lambda skill: Skill.objects.filter(pk=skill.pk).update(title=skill.title), True),
        (lambda skill: Skill.objects.filter(pk=skill.pk).update(files=[]), True),
        (lambda skill: PersonaFactory(skills=[skill]), True),
        (lambda _: SkillFactory(), False),
        (lambda skill: Skill.objects.exclude(pk=skill.pk).update(downloads=9), False),
        (lambda skill: PersonaFactory(skills=[skill], status="draft"), False),
        (lambda skill: skill.withdraw(), True),
    ],
)
def test_only_changes_of_its_own_rows_change_the_version(write, is_another):
    SkillFactory(slug="other")
    skill = SkillFactory(slug="pdf")
    rows, versions = in_detail.select(slug="pdf")
    assert [row.slug for row in rows] == ["pdf"]
    assert in_detail.versions(slug="pdf") == versions

    write(skill)

    assert (in_detail.versions(slug="pdf") != versions) == is_another
    assert in_detail.versions(slug="pdf") == in_detail.select(slug="pdf")[1]


def test_a_version_repeats_nothing_that_the_version_of_the_row_covers():
    SkillFactory(slug="pdf", files={"scripts/a.py": b"1"})

    [row], [version] = in_detail.select(slug="pdf")
    with CaptureQueriesContext(connection) as queries:
        in_detail.versions(slug="pdf")

    assert row.has_scripts is True
    assert version == (row.row_version, row.successor_slug, row.bundling)
    assert "files" not in queries[0]["sql"]


def test_no_rows_have_no_versions():
    assert in_detail.select(slug="none") == ([], [])
    assert in_detail.versions(slug="none") == []


def test_a_row_becomes_an_instance_with_its_annotations():
    PersonaFactory(slug="keeper", title="Keeper", skills=[SkillFactory(slug="pdf")])
    [row], _ = in_detail.select(slug="pdf")

    skill = from_row(Skill, row)

    assert skill == Skill.objects.get()
    assert skill.bundling == [{"slug": "keeper", "title": "Keeper"}]
    assert skill.file_text == Skill.objects.get().file_text
    assert (skill.get_deferred_fields(), skill._state.adding) == (set(), False)


def test_fields_that_the_row_lacks_are_deferred():
    SkillFactory(slug="pdf", title="PDF")
    [row] = compiled(lambda: Skill.objects.only("slug"))()

    skill = from_row(Skill, row)

    assert "title" in skill.get_deferred_fields()
    assert (skill.slug, skill.title) == ("pdf", "PDF")
