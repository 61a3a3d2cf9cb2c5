"""The feed while transactions overlap: nothing committed is ever skipped (contract 20.8)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction
from django.utils import timezone

from catalogue.models import Skill
from changes import reads
from changes.models import Change, Feed
from tests.api.concurrency import during
from tests.factories import PersonaFactory, SkillFactory

URL = "/api/v1/changes"

pytestmark = pytest.mark.django_db(transaction=True)


def poll(anyone, since=None):
    response = anyone.get(URL, {"since": since} if since else {})
    assert response.status_code == 200, response.content
    return [row["slug"] for row in response.json()["results"]], response.json()["cursor"]


def publish(slug):
    Skill.objects.get(slug=slug).publish()


@pytest.mark.contract("20.8")
def test_changes_are_read_in_the_order_of_their_commits(anyone):
    for slug in ("first", "second"):
        # The first to store a text makes others with the same text wait.
        SkillFactory(slug=slug, status="draft", content=slug)
    has_written, may_commit = Event(), Event()

    def slowly():
        with transaction.atomic():
            publish("first")
            has_written.set()
            assert may_commit.wait(60)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(slowly)
        assert has_written.wait(60)
        publish("second")
        seen, cursor = poll(anyone)
        may_commit.set()
        slow.result()

    assert seen == ["second"]
    assert poll(anyone, cursor)[0] == ["first"]


@pytest.mark.parametrize("write", ["edit", "bundle"])
def test_no_commit_waits_for_a_transaction_that_has_only_written(anyone, write):
    skill, persona = SkillFactory(slug="pdf-tables"), PersonaFactory(slug="archivist")
    SkillFactory(slug="second", status="draft")

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        if write == "edit":
            skill.deprecate("Old.")
        else:
            persona.skills.add(skill)
        pool.submit(in_thread, lambda: publish("second")).result(timeout=60)

    assert "second" in poll(anyone)[0]


def in_thread(write):
    try:
        write()
    finally:
        connection.close()


def test_a_commit_that_has_its_position_holds_up_the_next(anyone):
    for slug in ("first", "second"):
        SkillFactory(slug=slug, status="draft")

    def commit_begins():
        publish("first")
        # The commit does this first.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    during(commit_begins, lambda: publish("second"))

    assert poll(anyone)[0] == ["first", "second"]
    first, second = Change.objects.order_by("changed_at")
    assert first.changed_at < second.changed_at


def test_a_transaction_that_is_rolled_back_is_not_in_it(anyone):
    SkillFactory(slug="pdf-tables", status="draft")

    with transaction.atomic():
        publish("pdf-tables")
        transaction.set_rollback(True)

    assert poll(anyone)[0] == []


@pytest.mark.contract("20.8")
def test_the_changes_of_a_transaction_come_together(anyone):
    skill = SkillFactory(slug="pdf-tables")
    _, cursor = poll(anyone)

    with transaction.atomic():
        SkillFactory(slug="csv-tables")
        skill.title = "Other"
        skill.save()
        skill.content = "Other."
        skill.save()
        PersonaFactory(slug="archivist", skills=[skill])

    response = anyone.get(URL, {"since": cursor}).json()
    assert sorted((row["slug"], row["change"]) for row in response["results"]) == [
        ("archivist", "published"),
        ("csv-tables", "published"),
        ("pdf-tables", "updated"),
    ]
    assert len({row["at"] for row in response["results"]}) == 1
    assert {row["slug"]: row["digest"] for row in response["results"]} == {
        "archivist": anyone.get("/api/v1/personas/archivist").json()["digest"],
        "csv-tables": anyone.get("/api/v1/skills/csv-tables").json()["digest"],
        "pdf-tables": anyone.get("/api/v1/skills/pdf-tables").json()["digest"],
    }


def test_a_page_may_end_within_a_transaction(anyone):
    with transaction.atomic():
        slugs = {SkillFactory().slug for _ in range(3)}

    first = anyone.get(URL, {"limit": 2}).json()
    rest = anyone.get(first["next"]).json()

    assert {row["slug"] for row in first["results"] + rest["results"]} == slugs
    assert len(rest["results"]) == 1


def test_an_edit_after_the_check_of_constraints_is_in_it(anyone):
    """Some commands check deferred constraints before they have written everything."""
    skill = SkillFactory(slug="pdf-tables")

    with transaction.atomic():
        skill.content = "First."
        skill.save()
        connection.check_constraints()
        skill.content = "Second."
        skill.save()

    [row] = anyone.get(URL).json()["results"]
    assert row["digest"] == anyone.get("/api/v1/skills/pdf-tables").json()["digest"]


def test_a_clock_that_is_set_back_puts_nothing_into_the_past(anyone):
    SkillFactory(slug="first")
    future = timezone.now() + timedelta(hours=1)
    Feed.objects.update(newest_at=future)
    Change.objects.update(changed_at=future)
    _, cursor = poll(anyone)

    SkillFactory(slug="second")

    assert poll(anyone, cursor)[0] == ["second"]


def test_a_skill_that_leaves_and_a_persona_that_bundles_it_do_not_deadlock():
    skill, persona = SkillFactory(slug="pdf-tables"), PersonaFactory(slug="archivist")
    key = skill.pk

    def leaves():
        Skill.objects.filter(pk=key).update(slug="tables")

    def bundle():
        with transaction.atomic():
            persona.title = "The Archivist"
            persona.save()
            persona.skills.add(key)

    during(leaves, bundle)

    assert Change.objects.get(slug="archivist").change == "updated"


# Tombstones


def withdrawn(slug, *, days):
    """An entry was withdrawn so many days ago."""
    SkillFactory(slug=slug).withdraw()
    ago = timezone.now() - timedelta(days=days)
    Change.objects.filter(slug=slug).update(changed_at=ago)


def as_if_begun(days):
    """Make everything in the feed older by these days."""
    Feed.objects.update(newest_at=timezone.now() - timedelta(days=days))


@pytest.mark.contract("20.7")
def test_a_tombstone_stays_for_ninety_days(anyone):
    withdrawn("young", days=89)
    withdrawn("old", days=91)

    SkillFactory(slug="new")

    assert poll(anyone)[0] == ["young", "new"]


@pytest.mark.contract("20.7")
def test_a_cursor_from_before_a_dropped_tombstone_has_expired(anyone):
    SkillFactory(slug="kept")
    Change.objects.update(changed_at=timezone.now() - timedelta(days=92))
    as_if_begun(days=92)
    _, cursor = poll(anyone)
    withdrawn("old", days=91)

    SkillFactory(slug="new")

    response = anyone.get(URL, {"since": cursor})
    assert response.status_code == 410
    assert response.json() == {"error": "cursor has expired"}
    # Starting over works, even past changes that are older than the tombstone was.
    slugs, cursor = poll(anyone)
    assert slugs == ["kept", "new"]
    first = anyone.get(URL, {"limit": 1}).json()
    assert [row["slug"] for row in anyone.get(first["next"]).json()["results"]] == ["new"]
    assert poll(anyone, cursor)[0] == []


def test_tombstones_of_one_transaction_are_all_read_or_have_expired(anyone):
    first, second = SkillFactory(), SkillFactory()
    ago = timezone.now() - timedelta(days=91)
    Change.objects.update(changed_at=ago - timedelta(days=1))
    Feed.objects.update(newest_at=ago - timedelta(days=1))
    _, cursor = poll(anyone)
    with transaction.atomic():
        first.withdraw()
        second.withdraw()
    Change.objects.update(changed_at=ago)
    Feed.objects.update(newest_at=ago)
    half = anyone.get(URL, {"since": cursor, "limit": 1}).json()
    assert len(half["results"]) == 1
    _, whole = poll(anyone, half["cursor"])

    SkillFactory(slug="new")

    assert anyone.get(URL, {"since": half["cursor"]}).status_code == 410
    assert poll(anyone, whole)[0] == ["new"]


def test_a_tombstone_that_is_dropped_while_a_page_is_read_is_missed_by_nobody(anyone, monkeypatch):
    SkillFactory(slug="old")
    ago = timezone.now() - timedelta(days=92)
    Change.objects.update(changed_at=ago)
    Feed.objects.update(newest_at=ago)
    _, cursor = poll(anyone)
    Skill.objects.get(slug="old").withdraw()
    Change.objects.update(changed_at=ago + timedelta(days=1))
    Feed.objects.update(newest_at=ago + timedelta(days=1))
    compiled = reads.changes.compiled

    def drop_before(*arguments):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(in_thread, lambda: SkillFactory(slug="new")).result()
        return compiled(*arguments)

    monkeypatch.setattr(reads.changes, "compiled", drop_before)
    response = anyone.get(URL, {"since": cursor})

    assert response.status_code == 410


@pytest.mark.contract("20.7")
def test_a_cursor_from_after_a_dropped_tombstone_has_not(anyone):
    withdrawn("old", days=91)
    SkillFactory(slug="kept")
    Change.objects.filter(slug="kept").update(changed_at=timezone.now() - timedelta(days=90))
    as_if_begun(days=90)
    _, cursor = poll(anyone)

    SkillFactory(slug="new")

    assert poll(anyone, cursor)[0] == ["new"]
