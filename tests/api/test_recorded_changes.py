"""The changes that the feed records, and those that it does not (contract 20.3)."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from catalogue.models import Persona, Skill
from changes.models import Change
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.api.feed import changes, cursor, feed, since
from tests.factories import ABOUT_SKILL, PersonaFactory, SkillFactory, review

# Triggers write the feed when a transaction commits.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.contract("20.3")
@pytest.mark.parametrize(
    "change",
    [
        *({name: value} for name, value in ABOUT_SKILL.items()),
        {"content": "Do that."},
        {"files": []},
        {"deprecation_message": "Old."},
        {"created_at": datetime(2026, 1, 31, tzinfo=UTC)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_that_clients_see_is_an_update(anyone, change):
    skill = SkillFactory(slug="pdf-tables", files={"a.txt": b"a"})
    SkillFactory(slug="csv")
    before = cursor(anyone)

    # Only the column: a form also saves the time of the update.
    Skill.objects.filter(pk=skill.pk).update(**change)

    assert since(anyone, before) == [("pdf-tables", "updated")]
    [row] = feed(anyone, f"?since={before}")["results"]
    assert row["digest"] == anyone.get("/api/v1/skills/pdf-tables").json()["digest"]
    # It appears once, at its last change.
    assert changes(anyone) == [("csv", "published"), ("pdf-tables", "updated")]


# Columns that no list and no detail shows, or that are computed; and counters.
UNWATCHED = {"id", "public_id", "source", "former_source", "withdrawn_at", "withdrawal_reason"}
UNWATCHED |= {"archive_digest", "downloads", "installs", "rating_sum", "rating_count"}
UNWATCHED |= {"number", "digest", "context_tokens"}  # They change only with the text.
UNWATCHED |= {"checked_number", "checked_at", "findings", "deprecated_at"}  # Only pages show them.


@pytest.mark.contract("20.3")
@pytest.mark.parametrize("model", [Skill, Persona])
def test_every_other_column_is_watched(model):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT event_object_column FROM information_schema.triggered_update_columns "
            "WHERE trigger_name = %s",
            [f"changes_{model._meta.model_name}_changed"],
        )
        watched = {column for (column,) in cursor.fetchall()}

    stored = {field.column for field in model._meta.concrete_fields if not field.generated}
    assert watched == stored - UNWATCHED


def test_a_price_is_an_update(anyone):
    PersonaFactory(slug="archivist")
    before = cursor(anyone)

    Persona.objects.update(price_cents=100)

    assert since(anyone, before) == [("archivist", "updated")]


@pytest.mark.contract("20.3")
def test_installs_reviews_and_counters_write_nothing(anyone, client, agent):
    skill, persona = SkillFactory(), PersonaFactory()
    before, rows = cursor(anyone), list(Change.objects.values())

    SkillInstall.objects.install(agent, skill.slug)
    PersonaInstall.objects.install(agent, persona.slug)
    written = review(agent, persona, 4)
    written.hide("spam")
    Review.objects.delete_own(agent, persona.slug)
    SkillInstall.objects.uninstall(agent, skill.slug)
    Skill.objects.update(downloads=7)
    call_command("recount", "--fix")

    assert since(anyone, before) == []
    assert list(Change.objects.values()) == rows


@pytest.mark.contract("20.4")
@pytest.mark.parametrize("leave", ["withdraw", "redraft"])
def test_leaving_the_catalogue_is_recorded_as_withdrawn(anyone, leave):
    skill = SkillFactory(slug="pdf-tables")
    before = cursor(anyone)

    getattr(skill, leave)()

    [row] = feed(anyone, f"?since={before}")["results"]
    assert (row["slug"], row["change"], row["digest"]) == ("pdf-tables", "withdrawn", None)


@pytest.mark.contract("20.2")
def test_a_returning_entry_is_published_again(anyone):
    skill = SkillFactory(slug="pdf-tables")
    skill.withdraw()
    before = cursor(anyone)

    skill.publish()

    assert since(anyone, before) == [("pdf-tables", "published")]


@pytest.mark.contract("20.4")
def test_an_old_slug_is_withdrawn_and_the_new_one_published(anyone):
    skill = SkillFactory(slug="pdf-tables")
    before = cursor(anyone)

    skill.slug = "tables"
    skill.save()

    assert sorted(since(anyone, before)) == [("pdf-tables", "withdrawn"), ("tables", "published")]


@pytest.mark.contract("20.2")
def test_a_slug_that_another_entry_takes_over_is_there_once(anyone):
    Skill.objects.filter(pk=SkillFactory(slug="pdf-tables").pk).update(slug="pdf-forms")

    SkillFactory(slug="pdf-tables")

    assert changes(anyone) == [("pdf-forms", "published"), ("pdf-tables", "published")]


@pytest.mark.contract("20.4")
def test_drafts_are_never_recorded(anyone):
    draft = SkillFactory(status="draft")
    draft.title = "Other"
    draft.save()
    draft.delete()

    assert changes(anyone) == []


def test_a_persona_shows_its_skills(anyone):
    skill = SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist", skills=[skill])
    PersonaFactory(slug="hidden", skills=[skill], status="draft")
    before = cursor(anyone)

    skill.description = "Reads tables."
    skill.save()

    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("pdf-tables", "updated")]
    before = cursor(anyone)
    skill.content = "Do that."
    skill.save()
    assert since(anyone, before) == [("pdf-tables", "updated")]
    before = cursor(anyone)
    skill.withdraw()
    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("pdf-tables", "withdrawn")]


def test_a_skill_shows_its_personas(anyone):
    skill = SkillFactory(slug="pdf-tables")
    persona = PersonaFactory(slug="archivist", skills=[skill])
    before = cursor(anyone)

    persona.title = "The Archivist"
    persona.save()

    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("pdf-tables", "updated")]
    before = cursor(anyone)
    persona.description = "It shows no more of it than slug and title."
    persona.save()
    assert since(anyone, before) == [("archivist", "updated")]


@pytest.mark.contract("20.3")
def test_a_bundle_is_shown_by_both(anyone):
    skill, other = SkillFactory(slug="pdf-tables"), SkillFactory(slug="csv")
    persona = PersonaFactory(slug="archivist", skills=[other])
    before = cursor(anyone)

    persona.skills.add(skill)
    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("pdf-tables", "updated")]
    before = cursor(anyone)
    persona.skills.remove(other)

    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("csv", "updated")]


def test_leaving_a_bundle_and_a_slug_at_once_is_recorded(anyone):
    skill = SkillFactory(slug="pdf-tables")
    persona = PersonaFactory(slug="archivist", skills=[skill])
    before = cursor(anyone)

    with transaction.atomic():
        persona.skills.clear()
        skill.slug = "tables"
        skill.save()

    noticed = since(anyone, before)
    assert {("archivist", "updated"), ("pdf-tables", "withdrawn")} <= {*noticed}
    assert len(noticed) == 3


def test_a_bundle_that_is_changed_in_place_is_shown_by_all_three(anyone):
    skill, other = SkillFactory(slug="pdf-tables"), SkillFactory(slug="csv")
    PersonaFactory(slug="archivist", skills=[skill])
    before = cursor(anyone)

    Persona.skills.through.objects.update(skill=other)

    assert sorted(slug for slug, _ in since(anyone, before)) == ["archivist", "csv", "pdf-tables"]


def test_entries_that_swap_their_slugs_are_both_right(anyone):
    one, two = SkillFactory(slug="one", content="1"), SkillFactory(slug="two", content="2")
    before = cursor(anyone)

    with transaction.atomic():
        for skill, slug in ((one, "free"), (two, "one"), (one, "two")):
            Skill.objects.filter(pk=skill.pk).update(slug=slug)

    changed = {row["slug"]: row for row in feed(anyone, f"?since={before}")["results"]}
    assert changed.keys() == {"one", "two"}
    for slug, row in changed.items():
        assert row["digest"] == anyone.get(f"/api/v1/skills/{slug}").json()["digest"]
        assert row["change"] != "withdrawn"


def test_a_bundle_with_what_is_not_public_is_shown_by_nobody(anyone):
    skill, draft = SkillFactory(), PersonaFactory(status="draft")
    before = cursor(anyone)

    draft.skills.add(skill)
    draft.skills.clear()

    assert since(anyone, before) == []


def test_a_bundle_with_what_has_left_is_shown_by_nobody(anyone):
    skill, persona = SkillFactory(), PersonaFactory()
    persona.withdraw()
    before = cursor(anyone)

    persona.skills.add(skill)

    assert since(anyone, before) == []


def test_withdrawing_a_skill_and_emptying_its_bundle_records_both(anyone):
    skill = SkillFactory(slug="pdf-tables")
    persona = PersonaFactory(slug="archivist", skills=[skill])
    before = cursor(anyone)

    with transaction.atomic():
        skill.withdraw()
        persona.skills.clear()

    assert sorted(since(anyone, before)) == [("archivist", "updated"), ("pdf-tables", "withdrawn")]


@pytest.mark.contract("20.3")
def test_a_deprecated_entry_shows_its_successor(anyone):
    successor = SkillFactory(slug="pdf-forms")
    SkillFactory(slug="pdf-tables").deprecate("Old.", successor)
    before = cursor(anyone)
    successor.title = "It shows the slug alone."
    successor.save()
    assert since(anyone, before) == [("pdf-forms", "updated")]
    before = cursor(anyone)

    successor.withdraw()

    assert sorted(since(anyone, before)) == [("pdf-forms", "withdrawn"), ("pdf-tables", "updated")]
