"""The versions of an entry: creating and keeping them (contract 25)."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from catalogue.models import FileContent, PersonaVersion, Purge, Skill, SkillVersion
from tests.api.feed import feed
from tests.api.versions import ONE, persona_with_versions, rewrite, skill_with_versions
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def skill():
    return skill_with_versions()


@pytest.fixture
def persona():
    return persona_with_versions()


def numbers(entry):
    """`[(number, digest), …]`, oldest first."""
    return [*entry.versions.order_by("number").values_list("number", "digest")]


# Creating them


@pytest.mark.contract("25.1")
@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_each_published_text_is_a_version(factory):
    entry = factory(status="draft", content="A draft.")
    assert numbers(entry) == []

    entry.publish()
    entry.refresh_from_db()
    first = entry.digest
    assert numbers(entry) == [(1, first)]

    rewrite(entry, "Another text.")
    entry.refresh_from_db()
    assert numbers(entry) == [(1, first), (2, entry.digest)]

    entry.withdraw()
    rewrite(entry, "Written while it was away.")
    entry.refresh_from_db()
    assert len(numbers(entry)) == 2
    entry.publish()
    assert numbers(entry)[2:] == [(3, entry.digest)]


@pytest.mark.contract("25.1")
@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_a_change_outside_the_digest_makes_no_version(factory):
    entry = factory(content=ONE, slug="pdf-tables", description="Extracts tables.")

    rewrite(entry, ONE, category="other", license="MIT")
    entry.deprecate("Old.")
    entry.withdraw()
    entry.publish()

    assert len(numbers(entry)) == 1


@pytest.mark.contract("25.1")
def test_an_earlier_text_again_is_a_new_number(skill):
    first = numbers(skill)[0][1]

    rewrite(skill, ONE, files=SkillVersion.objects.get(number=1).files)
    skill.refresh_from_db()

    assert skill.digest == first
    assert [digest for _, digest in numbers(skill)] == [first, numbers(skill)[1][1], first]
    assert FileContent.objects.filter(data=ONE.encode()).count() == 1


# Keeping them


# Another value of a column, by the type of its field.
OTHER = {
    "CharField": "'other'",
    "TextField": "'other'",
    "DateTimeField": "{column} + interval '1 day'",
    "JSONField": "'[]'",
    **dict.fromkeys(
        ["BigAutoField", "ForeignKey", "IntegerField", "PositiveIntegerField"], "{column} + 1000"
    ),
}
RECALL = ["recalled_at", "recall_reason"]


def updates_of(model):
    """For each column, a statement that changes it in every row that may have a file."""
    for field in model._meta.concrete_fields:
        if field.name not in RECALL:
            value = OTHER[field.get_internal_type()].format(column=field.column)
            yield f"UPDATE {model._meta.db_table} SET {field.column} = {value} WHERE number = 1"


REFUSED = [
    *updates_of(SkillVersion),
    *updates_of(PersonaVersion),
    "UPDATE catalogue_skillversion SET title = 'other', recalled_at = now()",
    "DELETE FROM catalogue_skillversion WHERE number = 1",
    "DELETE FROM catalogue_personaversion",
    """
    INSERT INTO catalogue_skillversion SELECT * FROM catalogue_skillversion
    ON CONFLICT (id) DO UPDATE SET title = 'other'
    """,
    "UPDATE catalogue_filecontent SET data = ''",
    "UPDATE catalogue_filecontent SET digest = 'sha256:0' || left(digest, 60)",
    "DELETE FROM catalogue_filecontent",
]


def run(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.contract("25.2")
@pytest.mark.usefixtures("skill", "persona")
def test_a_version_cannot_be_changed(alone):
    before = [*SkillVersion.objects.values()], [*PersonaVersion.objects.values()]

    for statement in REFUSED:
        with alone(statement):
            with pytest.raises(IntegrityError, match="never changes"):
                run(statement)

            assert before == ([*SkillVersion.objects.values()], [*PersonaVersion.objects.values()])


@pytest.mark.contract("25.2")
@pytest.mark.usefixtures("skill", "persona")
@pytest.mark.parametrize("model", [SkillVersion, PersonaVersion])
def test_a_number_is_inserted_once(model):
    table, before = model._meta.db_table, model.objects.count()
    columns = ", ".join(field.column for field in model._meta.concrete_fields[1:])

    with pytest.raises(IntegrityError, match=f"unique_{model.kind}_number"):
        run(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE number = 1")

    assert model.objects.count() == before


@pytest.mark.contract("25.1")
@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_nobody_chooses_the_number_of_an_entry(factory):
    entry = factory(number=7)
    run(f"UPDATE {entry._meta.db_table} SET number = 9")

    entry.refresh_from_db()
    assert entry.number == 1
    assert len(numbers(entry)) == 1


def test_a_recall_is_the_one_change_of_a_version(skill):
    skill.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")
    skill.versions.filter(number=1).update(recalled_at=None, recall_reason="")

    assert skill.versions.get(number=1).recall_reason == ""


@pytest.mark.contract("25.2")
@pytest.mark.usefixtures("persona")
def test_a_stored_text_of_a_version_stays(skill):
    unused = FileContent.objects.create(digest="sha256:0", data=b"unused")
    used = FileContent.objects.exclude(pk=unused.pk)
    # SKILL.md twice, a file twice, and two prompts.
    assert used.count() == 6

    for stored in used:
        with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
            stored.delete()
    unused.delete()

    assert used.count() == 6


@pytest.mark.contract("25.2")
def test_an_entry_that_was_published_cannot_be_deleted(skill, persona):
    skill.withdraw()
    draft = SkillFactory(status="draft")

    for entry in (skill, persona):
        with pytest.raises(ProtectedError):
            entry.delete()
        with pytest.raises(IntegrityError):
            run(f"DELETE FROM {entry._meta.db_table} WHERE id = {entry.pk}")
    draft.delete()

    assert Skill.objects.filter(pk=skill.pk).exists()


@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_a_recalled_text_cannot_come_back(factory):
    entry = factory(content="One.")
    rewrite(entry, "Two.")
    entry.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")

    with pytest.raises(IntegrityError, match="recalled"):
        rewrite(entry, "One.")

    factory(content="One.")  # another entry may have it
    assert len(numbers(entry)) == 2


@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_a_purged_text_is_gone_and_comes_back_in_no_entry_of_its_kind(factory):
    entry = factory(content="One.")
    [version] = entry.versions.all()
    rewrite(entry, "Two.")

    Purge.objects.create(kind=version.kind, digest=version.digest, reason="The law.")
    purged = {"title": "", "description": "", "version": "", "recalled_at": timezone.now()}
    entry.versions.filter(number=1).update(**purged)
    FileContent.objects.get(digest=version.content_digest).delete()

    kept = entry.versions.get(number=1)
    assert (kept.digest, kept.title, kept.description) == (version.digest, "", "")
    for statement in ({"digest": "sha256:0"}, {"title": "Other"}, {"recalled_at": None}):
        with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
            entry.versions.filter(number=1).update(**statement)
    about = {name: getattr(entry, name) for name in ("slug", "title", "description", "category")}
    entry.slug = "another"
    entry.save()
    with pytest.raises(IntegrityError, match="purged"):
        factory(**about | {"content": "One.", "title": version.title})


@pytest.mark.contract("25.6")
def test_the_feed_names_the_number(anyone, skill):
    def number():
        return {row["slug"]: row["number"] for row in feed(anyone)["results"]}["pdf-tables"]

    assert number() == 2
    skill.withdraw()
    assert number() is None
    skill.publish()
    assert number() == 2
