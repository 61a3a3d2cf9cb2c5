"""Entries whose files are gone from a source, or come back (contract 30)."""

from datetime import timedelta

import pytest
from django.db.models import F

from catalogue.models import Skill
from sources import withdrawing
from sources.fetching import Fetched
from sources.models import Source, SourceFile
from sources.syncing import Sync
from sources.withdrawing import are_many
from tests.sources.syncing.conftest import published, statuses


def confirm():
    SourceFile.objects.filter(bytes_digest="").update(is_confirmed=True)


@pytest.fixture
def gone(repository):
    """A repository that has lost one of its two skills."""
    repository.skill("pdf")
    repository.skill("csv")
    repository.sync()
    repository.remove("pdf")
    return repository


@pytest.mark.contract("30.9")
def test_an_entry_without_its_file_is_withdrawn(gone):
    source = gone.sync()

    assert statuses() == {"pdf": "withdrawn", "csv": "published"}
    assert Skill.objects.get(slug="pdf").withdrawal_reason == ""
    assert source.counts == {"unchanged": 1, "withdrawn": 1, "findings": 0}
    assert gone.sync().counts == {"unchanged": 1, "findings": 0}


@pytest.mark.contract("30.9")
@pytest.mark.parametrize("text", ["Do it.", "Do it well."])
def test_a_file_that_comes_back_ends_the_withdrawal(gone, text):
    gone.sync()
    gone.skill("pdf", text)

    gone.sync()

    skill = Skill.objects.get(slug="pdf")
    assert (skill.status, text in skill.content) == ("published", True)
    assert skill.number == (1 if text == "Do it." else 2)


@pytest.mark.contract("30.9")
@pytest.mark.parametrize("act", ["withdraw", "recall"])
def test_staff_have_the_last_word_about_a_withdrawal(gone, act):
    gone.sync()
    skill = Skill.objects.get(slug="pdf")
    skill.publish()
    getattr(skill, act)(*(["Bad."] if act == "recall" else []))
    gone.skill("pdf")

    source = gone.sync()

    assert statuses()["pdf"] == "withdrawn"
    assert source.counts == {"proposed": 1, "unchanged": 1, "findings": 0}


@pytest.mark.contract("30.9")
def test_staff_keep_an_entry_whose_file_is_gone(gone):
    gone.sync()
    Skill.objects.get(slug="pdf").publish()

    gone.sync()

    assert statuses() == {"pdf": "published", "csv": "published"}


@pytest.mark.contract("30.9")
def test_an_entry_that_staff_withdrew_before_stays_theirs(gone):
    Skill.objects.get(slug="pdf").withdraw()
    gone.sync()
    gone.skill("pdf")

    gone.sync()

    assert statuses()["pdf"] == "withdrawn"


@pytest.mark.contract("30.10")
@pytest.mark.parametrize(
    ("number", "entries", "expected"),
    [(10, 12, False), (11, 33, False), (11, 32, True), (11, 11, True)],
)
def test_more_than_ten_and_more_than_a_third_are_many(number, entries, expected):
    assert are_many(number, entries) is expected


@pytest.fixture
def emptied(repository):
    """A repository that has lost eleven of twelve skills."""
    for name in range(12):
        repository.skill(f"skill-{name}")
    repository.sync()
    for name in range(11):
        repository.remove(f"skill-{name}")
    return repository


@pytest.mark.contract("30.10")
def test_many_withdrawals_wait_for_a_superuser(emptied):
    emptied.skill("skill-11", "Do it well.")

    source = emptied.sync()

    assert len(published()) == 12
    assert source.state == "failing"
    assert source.reason == "11 of 12 entries would go: confirm it, or pause."
    assert source.counts == {"published": 1, "findings": 0}
    confirm()
    emptied.skill("skill-1")
    source = emptied.sync()
    assert (source.state, source.reason, source.counts["withdrawn"]) == ("ok", "", 10)
    assert set(published()) == {"skill-1", "skill-11"}


@pytest.mark.contract("30.10")
def test_several_commits_of_a_day_count_as_one(repository, monkeypatch):
    monkeypatch.setattr(withdrawing, "MANY", 2)
    for number in range(8):
        repository.skill(f"skill-{number}")
    repository.sync()
    for number in range(2):
        repository.remove(f"skill-{number}")
    assert repository.sync().counts["withdrawn"] == 2
    repository.remove("skill-2")

    source = repository.sync()

    reason = "1 of 6 entries would go, after 2 within a day: confirm it, or pause."
    assert (source.state, source.reason, len(published())) == ("failing", reason, 6)
    SourceFile.objects.exclude(withdrawn_at=None).update(
        withdrawn_at=F("withdrawn_at") - timedelta(days=1)
    )
    assert repository.sync().counts["withdrawn"] == 1
    assert len(published()) == 5


@pytest.mark.contract("30.10")
def test_confirmed_withdrawals_do_not_count_again(emptied):
    emptied.sync()
    confirm()
    emptied.sync()
    emptied.remove("skill-11")

    source = emptied.sync()

    assert (source.state, published()) == ("ok", {})


@pytest.mark.contract("30.10")
def test_without_its_folder_nothing_is_withdrawn(repository):
    repository.skill("skills/pdf")
    synced_at = repository.sync(folder="skills").synced_at
    repository.remove("skills")

    source = repository.sync()

    assert (
        source.reason == "The folder skills is gone. 1 of 1 entries would go: confirm it, or pause."
    )
    assert (source.state, statuses()) == ("failing", {"pdf": "published"})
    assert source.synced_at == synced_at
    confirm()
    source = repository.sync()
    assert (source.state, source.reason) == ("failing", "The folder skills is gone.")
    assert statuses() == {"pdf": "withdrawn"}


@pytest.mark.contract("30.10")
def test_without_its_ref_nothing_is_withdrawn(repository):
    repository.skill("pdf")
    repository.sync()

    source = Sync(Source.objects.get(), Fetched("f" * 40)).run()

    assert (source.state, statuses()) == ("failing", {"pdf": "published"})
    assert (
        source.reason
        == "The branch or tag main is gone. 1 of 1 entries would go: confirm it, or pause."
    )
    assert repository.sync().state == "ok"


@pytest.mark.contract("30.10")
@pytest.mark.parametrize(
    ("has_ref", "reason"), [(True, f"lacks it at {2:040x}"), (False, "has no main")]
)
def test_the_history_says_why_an_entry_was_withdrawn(repository, has_ref, reason):
    repository.skill("pdf")
    repository.sync()
    repository.remove("pdf")
    if has_ref:
        repository.sync()
    else:
        Sync(Source.objects.get(), Fetched(f"{1:040x}")).run()
        confirm()
        Sync(Source.objects.get(), Fetched(f"{1:040x}")).run()

    newest = Skill.objects.get().history.first()
    assert newest.history_change_reason == f"Withdrawn: git:team {reason}"
