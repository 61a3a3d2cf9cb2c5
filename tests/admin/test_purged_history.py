"""What a purge takes of an entry's own text and history, and what it leaves (contract 25.13)"""

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from catalogue.models import FileContent, Purge
from tests.api.concurrency import during
from tests.api.versions import rewrite
from tests.factories import PersonaFactory, SkillFactory

REASON = "A court forbids it."


def purge(entry, number):
    return Purge.objects.purge(entry.versions.get(number=number), REASON)


def snapshots(entry):
    """The contents of the entry's history, the oldest first."""
    return [*entry.history.order_by("history_id").values_list("content", flat=True)]


@pytest.mark.contract("25.13")
@pytest.mark.django_db
@pytest.mark.parametrize("number", [1, 3])
def test_each_number_of_the_text_leads_to_all_of_its_history(number):
    skill = SkillFactory(content="Forbidden.")
    skill.snapshot_before_change()
    rewrite(skill, "Good.")
    skill.snapshot_before_change()
    skill.versions.get(number=1).restore()
    skill.refresh_from_db()
    skill.snapshot_before_change()
    rewrite(skill, "Good again.")

    purge(skill, number)

    assert snapshots(skill) == ["", "Good.", ""]


@pytest.mark.django_db
def test_a_snapshot_of_another_version_with_the_same_body_stays():
    skill = SkillFactory(content="Body.", title="Forbidden", description="")
    skill.snapshot_before_change()
    rewrite(skill, "Body.", title="Good")
    skill.snapshot_before_change()
    assert skill.versions.count() == 2  # without a description, the SKILL.md has the title

    purge(skill, 1)

    history = skill.history.order_by("history_id").values_list("title", "content")
    assert [*history] == [("", ""), ("Good", "Body.")]


@pytest.mark.contract("25.13")
@pytest.mark.django_db
def test_the_own_text_goes_also_under_another_slug():
    skill = SkillFactory(content="Forbidden.", files={"a.md": b"Forbidden, too"})
    skill.withdraw()
    skill.slug = "other"
    skill.save()

    assert purge(skill, 1) == []

    skill.refresh_from_db()
    assert (skill.content, skill.files) == ("", [])
    assert not FileContent.objects.exists()


@pytest.mark.django_db
def test_another_draft_keeps_a_file_that_it_shares():
    skill = SkillFactory(content="Forbidden.", files={"a.md": b"good"})
    skill.redraft()
    rewrite(skill, "A new draft.")

    [use] = purge(skill, 1)

    skill.refresh_from_db()
    assert (skill.content, use.place) == ("A new draft.", f"the draft skill {skill.slug}")
    assert bytes(FileContent.objects.get().data) == b"good"


@pytest.mark.django_db
def test_a_draft_from_before_keeps_no_file_of_the_text():
    skill = SkillFactory(status="draft", content="Draft.", files={"a.md": b"Forbidden."})
    skill.snapshot_before_change()
    rewrite(skill, "Forbidden.")
    skill.publish()
    skill.refresh_from_db()
    rewrite(skill, "Good.", files=[])

    purge(skill, 1)

    assert snapshots(skill) == [""]
    stored = [bytes(content.data) for content in FileContent.objects.all()]
    assert [data for data in stored if b"Forbidden" in data] == []


@pytest.mark.django_db
@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_an_entry_without_its_text_is_not_published(factory):
    entry = factory(content="Forbidden.")
    entry.withdraw()
    purge(entry, 1)
    entry.refresh_from_db()

    with pytest.raises(ValidationError, match="Write a text first"):
        entry.publish()

    entry.refresh_from_db()
    assert (entry.status, entry.number) == ("withdrawn", 1)


@pytest.mark.contract("25.13")
@pytest.mark.django_db
def test_another_entry_keeps_a_purged_text_until_it_is_withdrawn():
    one, two = PersonaFactory(content="Forbidden."), PersonaFactory(content="Forbidden.")
    rewrite(one, "Good.")
    purge(one, 1)

    two.category = "law"
    two.full_clean()
    two.save()
    two.refresh_from_db()
    assert (two.category, two.number) == ("law", 1)
    two.withdraw()
    with pytest.raises(ValidationError, match="purged and cannot come back"):
        two.publish()


@pytest.mark.django_db(transaction=True)
def test_a_purge_waits_for_a_text_that_is_being_published():
    one = PersonaFactory(content="Forbidden.")
    rewrite(one, "Good.")
    stored = one.versions.get(number=1).content_digest

    [uses] = during(
        lambda: PersonaFactory(slug="other", content="Forbidden."), lambda: purge(one, 1)
    )

    assert [use.place for use in uses] == [
        *("the published persona other", "version 1 of the persona other")
    ]
    assert FileContent.objects.filter(digest=stored).exists()


@pytest.mark.django_db(transaction=True)
def test_publishing_waits_for_a_purge_and_is_refused():
    one = PersonaFactory(content="Forbidden.")
    rewrite(one, "Good.")
    draft = PersonaFactory(slug="other", status="draft", content="Forbidden.")

    def publish():
        with pytest.raises(ValidationError, match="purged") as raised, transaction.atomic():
            draft.publish()
        return str(raised.value)

    during(lambda: purge(one, 1), publish)

    draft.refresh_from_db()
    assert (draft.status, draft.number) == ("draft", 0)
