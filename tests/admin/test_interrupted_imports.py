"""An import that a killed process or an error interrupts loses nothing, and is confirmed again"""

from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlencode

import psutil
import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import F

from catalogue.models import Skill
from importing.confirmed import ConfirmedSkillImporter
from importing.models import MAX_SILENCE, ImportRun
from tests.admin.actions import told
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, confirm, outcomes, upload, zip_of
from tests.admin.rows import change_page
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.factories import SkillFactory

RUNS = "/admin/importing/importrun/"
NAMES = ["one", "three", "two", "zero"]  # in the order of the import
ZIP = zip_of({f"{name}/SKILL.md": SKILL_MD.format(name) for name in NAMES})
TAKEN = ["This upload is already being imported, or it was discarded."]
AGAIN = '<a href="/admin/catalogue/{}/import/{}/">interrupted: confirm again</a>'


def log_lines():
    """Slug and message of each log entry, in order."""
    entries = LogEntry.objects.order_by("pk").values_list("object_repr", "change_message")
    return [(slug, message) for slug, message in entries if message]


def published():
    """Descriptions of what is published, by slug: the entry's own and its newest snapshot's."""
    return {
        skill.slug: (skill.description, skill.history.first().description)
        for skill in Skill.objects.published().exclude(description="Old.")
    }


def imported(*names):
    return {name: (f"Does {name}.", f"Does {name}.") for name in names}


def silence(run):
    """Let the run's last sign of life be as long ago as an interrupted import's."""
    ImportRun.objects.filter(pk=run.pk).update(active_at=F("active_at") - MAX_SILENCE)


def post(server, browser, url, form):
    """A browser's POST to a real server, with the cookies of a test client."""
    token = "a" * 32
    cookies = [f"{name}={cookie.value}" for name, cookie in browser.cookies.items()]
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": "; ".join([*cookies, f"csrftoken={token}"]),
    }
    body = urlencode(form | {"csrfmiddlewaretoken": token})
    return server.request("POST", url, body, headers=headers)


STILL_TO_DO = {
    "created": ["zero/SKILL.md"],
    "updated": ["two/SKILL.md"],
    "unchanged": ["one/SKILL.md", "three/SKILL.md"],
}


@pytest.mark.contract("23.9")
def test_a_killed_import_is_completed_by_confirming_it_again(own_server_of, ada):
    changed = SkillFactory(slug="two", content="Old", description="Old.")
    form = untouched_form(upload(ada, ZIP)) | {"all": "yes"}
    run, server = ImportRun.objects.get(), own_server_of()
    url = f"{SKILLS}import/{run.pk}/"
    [worker] = psutil.Process(server.process.pid).children()

    def import_it():
        with suppress(OSError):
            return post(server, ada, url, form)

    # It waits in the middle, for the row of an entry that it changes.
    assert during(changed.lock, import_it, meanwhile=worker.kill) == [None]

    worker.wait()
    assert published() == imported("one", "three")
    message = f"Imported from {run.name}."
    assert log_lines() == [("one", message), ("three", message)]
    run.refresh_from_db()
    assert (bytes(run.data), run.finished_at) == (ZIP, None)
    assert (run.created, run.updated, run.unchanged, run.refused) == (2, 0, 0, 0)

    assert "importing now" in ada.get(RUNS).content.decode()
    assert told(ada.post(url, form, follow=True)) == TAKEN
    silence(run)
    for page in (RUNS, change_page(run)):
        assert AGAIN.format("skill", run.pk) in ada.get(page).content.decode()
    preview = ada.get(url)
    assert outcomes(preview) == STILL_TO_DO
    assert "The import was interrupted." in preview.content.decode()
    # A browser that is reloaded posts the form of the first preview again.
    assert post(server, ada, url, form).status == 302

    run.refresh_from_db()
    assert (run.created, run.updated, run.unchanged, run.refused) == (1, 1, 2, 0)
    assert (run.data, run.finished_at is None) == (None, False)
    assert published() == imported(*NAMES)
    assert [slug for slug, _ in log_lines()] == NAMES
    assert "1 created, 1 updated, 2 unchanged, 0 refused" in ada.get(RUNS).content.decode()


@pytest.fixture
def fails_at_two(monkeypatch):
    """The import fails at an entry until this is called."""
    values = ConfirmedSkillImporter.values

    def failing_values(importer, file):
        return values(importer, file) if file.slug != "two" else 1 / 0

    with monkeypatch.context() as patched:
        # Not while it is previewed.
        patched.setattr(
            ConfirmedSkillImporter,
            "values",
            lambda importer, file: (values if importer.preview else failing_values)(importer, file),
        )
        yield patched.undo


@pytest.mark.contract("23.9")
def test_an_import_that_failed_in_the_middle_is_completed_at_once(admin_client, fails_at_two):
    upload(admin_client, ZIP)
    with pytest.raises(ZeroDivisionError):
        confirm(admin_client)
    run = ImportRun.objects.get()
    assert published() == imported("one", "three")
    assert [slug for slug, _ in log_lines()] == ["one", "three"]
    assert AGAIN.format("skill", run.pk) in admin_client.get(RUNS).content.decode()

    fails_at_two()
    run = confirm(admin_client)

    assert (run.created, run.updated, run.unchanged, run.refused) == (2, 0, 2, 0)
    assert published() == imported(*NAMES)
    assert [slug for slug, _ in log_lines()] == NAMES


def test_one_that_was_interrupted_can_be_discarded(admin_client, fails_at_two):
    upload(admin_client, ZIP)
    with pytest.raises(ZeroDivisionError):
        confirm(admin_client)

    url = f"{SKILLS}import/{ImportRun.objects.get().pk}/"
    assert admin_client.post(url, {"cancel": "yes"}).status_code == 302

    run = ImportRun.objects.get()
    assert (run.data, run.created) == (None, 2)
    assert [slug for _, slug, _ in run.entries] == ["one", "three"]
    assert published() == imported("one", "three")


def test_a_resumed_import_leaves_finished_entries_unchanged(admin_client):
    """A persona's file is not what an export of it would hold."""
    text = "---\nname: {0}\ntags:   [a,b]\ndescription: Does it.\n---\nDo it.\n"
    page = upload(admin_client, zip_of({"a.md": text.format("a")}), to=PERSONAS)
    form, run = untouched_form(page), ImportRun.objects.get()
    url = f"{PERSONAS}import/{run.pk}/"
    admin_client.post(url, form)
    # As if its process had been killed after the last file.
    ImportRun.objects.update(finished_at=None, data=run.data, active_at=None)
    assert '<button class="staff-button is-main">Import</button>' in (
        admin_client.get(url).content.decode()
    )

    admin_client.post(url, form)

    run.refresh_from_db()
    assert (run.created, run.updated, run.unchanged, run.refused) == (0, 0, 1, 0)
    assert len(log_lines()) == 1


@pytest.mark.contract("23.9")
def test_an_import_that_was_silent_for_too_long_ends_at_its_next_file(ada, bob, monkeypatch):
    """Its process was paused, and somebody has confirmed the run again."""
    upload(ada, ZIP)
    run = ImportRun.objects.get()
    url = f"{SKILLS}import/{run.pk}/"
    count = ImportRun.count

    def paused(run, outcome):
        count(run, outcome)
        monkeypatch.undo()
        silence(run)
        assert bob.post(url).status_code == 302

    monkeypatch.setattr(ImportRun, "count", paused)
    assert told(ada.post(url, follow=True)) == TAKEN

    run.refresh_from_db()
    assert (run.created, run.updated, run.unchanged, run.refused) == (3, 0, 1, 0)
    assert run.finished_at
    assert [slug for slug, _ in log_lines()] == NAMES


def test_an_upload_that_was_confirmed_today_does_not_expire(admin_client, fails_at_two):
    upload(admin_client, ZIP)
    with pytest.raises(ZeroDivisionError):
        confirm(admin_client)
    ImportRun.objects.update(created_at=F("created_at") - timedelta(days=2))

    upload(admin_client, SKILL_MD.format("five"), name="SKILL.md")

    assert ImportRun.objects.filter(finished_at=None).count() == 2
    ImportRun.objects.update(confirmed_at=F("confirmed_at") - timedelta(days=2))
    upload(admin_client, SKILL_MD.format("six"), name="SKILL.md")
    assert ImportRun.objects.filter(finished_at=None).count() == 2
    run = ImportRun.objects.last()
    assert (run.created, run.data) == (2, None)
