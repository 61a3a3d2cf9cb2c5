"""Each check of `manage.py doctor`, in this process."""

import os
import re
import time
from datetime import timedelta

import pytest
from django.core.checks import Warning as CheckWarning
from django.db import connection
from django.db.models.functions import Now

from audit.models import AuditEvent
from marketplace import doctor
from sources.models import Clock, Source
from tests.factories import PersonaFactory, SkillFactory


def test_a_public_url_that_nobody_has_named(settings, lines):
    settings.REQUIRE_HTTPS = True

    assert lines("requests") == ["Not checked: set PUBLIC_URL, or name it with --url."]
    assert lines("backups") == ["Not checked: name their folder with --backups."]


def test_a_durable_database(monkeypatch, lines):
    monkeypatch.setattr(doctor, "DURABLE", ["wal_log_hints"])  # which is off
    assert lines("durability") == ["A crash loses data. Turn on in PostgreSQL: wal_log_hints."]

    monkeypatch.setattr(doctor, "DURABLE", ["enable_seqscan"])  # which is on
    assert lines("durability") == ["A crash loses nothing that was acknowledged."]


@pytest.fixture
def replaced(monkeypatch):
    """Have the doctor read another text in a statement than PostgreSQL's: `replaced(old, new)`."""

    def replaced(old, new):
        row_of = doctor.row_of
        monkeypatch.setattr(doctor, "row_of", lambda sql, **_: row_of(sql.replace(old, new)))

    return replaced


def test_an_old_database(replaced, lines):
    replaced("current_setting('server_version_num')", "'130009'")

    [line] = lines("database")

    assert re.fullmatch(r"PostgreSQL \S+ is too old\. Upgrade to 14 or newer\.", line)


def test_more_connections_than_the_database_takes(monkeypatch, lines):
    monkeypatch.setenv("WEB_CONCURRENCY", "1000")

    [line] = lines("connections")

    assert re.sub(r"accepts \d+", "accepts 97", line) == (
        "This host opens up to 5000 connections (WEB_CONCURRENCY, WEB_THREADS), and "
        "PostgreSQL accepts 97. Lower one, raise max_connections, or use a pooler."
    )


def test_a_database_that_is_not_migrated(lines):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'changes'")

    assert lines("migrations") == ["The database is not migrated. Run python manage.py migrate."]


def test_a_restored_database_without_statistics(monkeypatch, replaced, lines):
    monkeypatch.setattr(doctor, "MANY", 2)
    replaced("reltuples", "-1")
    SkillFactory()
    assert lines("statistics") == ["PostgreSQL has statistics to plan with, or needs none yet."]

    SkillFactory()
    assert lines("statistics") == [
        "PostgreSQL has no statistics, as after a restore. Run ANALYZE (psql -c ANALYZE)."
    ]


@pytest.mark.contract("28.11")
def test_the_findings_of_the_catalogue(lines):
    PersonaFactory(license="MIT")
    assert lines("findings") == ["None."]

    persona = PersonaFactory()
    SkillFactory(content="---\nname: a\ndescription: b\n---\nDo\u200b it.", slug="a")
    assert lines("findings") == [
        "2 license, 1 hidden-text. To see them, filter the admin's lists by Needs work."
    ]

    type(persona).objects.update(findings=None)
    [line] = lines("findings")
    assert line == (
        "2 entries are from a release that inspected nothing. Run python manage.py "
        "inspect_catalogue."
    )


def test_a_clock_that_is_wrong(monkeypatch, lines):
    monkeypatch.setattr(time, "time", lambda now=time.time: now() - 7200)

    [line] = lines("clocks")
    assert line == (
        "This host is 7200 seconds behind the database. Synchronize both, for example with "
        "timedatectl set-ntp true."
    )


@pytest.mark.parametrize(
    ("replayed", "line"),
    [
        ("0/FF000000", "1 respond and keep up."),
        (
            "0/FEFFFFFF",
            "replica-0 (standby) is 16 MB behind, so nothing is read there. Look at its log.",
        ),
    ],
)
def test_a_replica_that_is_far_behind(monkeypatch, settings, replaced, lines, replayed, line):
    monkeypatch.setitem(settings.DATABASES, "replica-0", {"HOST": "standby"})
    replaced("pg_current_wal_lsn()", "'1/0'")
    replaced("pg_is_in_recovery()", "true")
    replaced("pg_last_wal_replay_lsn()", f"'{replayed}'")

    assert lines("replicas") == [line]


def test_static_files_of_another_release(settings, tmp_path, lines):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "pages.css").write_text("/* older */")

    [line] = lines("static files")

    assert line.endswith("differs). Run python manage.py collectstatic --no-input, and restart.")
    assert line.startswith(f"{tmp_path} is from another release (")


def test_a_disk_that_is_full(settings, lines):
    settings.DOWNLOAD_BYTES = 2**60

    [line] = lines("disk")

    assert re.fullmatch(
        r"/\S+ has \d+ MB free, and downloads may take \d+\. Free some, set TMPDIR to another "
        r"folder, or lower DOWNLOAD_BYTES\.",
        line,
    )


def test_backups_that_are_old_or_missing(tmp_path, lines):
    assert lines("backups", backups=str(tmp_path)) == [
        f"{tmp_path} holds no backup. See docs/deploy/backup.md."
    ]

    (tmp_path / "a.dump").write_text("a dump")
    os.utime(tmp_path / "a.dump", (time.time() - 27 * 3600,) * 2)
    assert lines("backups", backups=str(tmp_path)) == [
        "The newest, a.dump, is 27 hours old. Check the job that writes it."
    ]


def test_a_folder_of_backups_that_cannot_be_read(lines):
    assert lines("backups", backups="x" * 300) == ["The folder cannot be read: File name too long."]


def test_an_empty_file_is_no_backup(tmp_path, lines):
    (tmp_path / "b.dump").touch()  # as a job leaves it that fails
    (tmp_path / "folder").mkdir()
    assert lines("backups", backups=str(tmp_path)) == [
        f"{tmp_path} holds no backup. See docs/deploy/backup.md."
    ]

    for name, hours in (("c.dump", 27), ("a.dump", 25)):
        (tmp_path / name).write_text("a dump")
        os.utime(tmp_path / name, (time.time() - hours * 3600,) * 2)
    assert lines("backups", backups=str(tmp_path)) == ["The newest, a.dump, is 25 hours old."]


def test_warnings_of_a_deployment(monkeypatch, settings, lines):
    monkeypatch.setattr(
        doctor.checks,
        "run_checks",
        lambda **_: [CheckWarning("One is wrong.", hint="Correct it."), CheckWarning("So is two.")],
    )

    assert lines("configuration") == [
        "Not checked: REQUIRE_HTTPS is false, as on your own machine."
    ]

    settings.REQUIRE_HTTPS = True
    assert lines("configuration") == ["One is wrong. Correct it.", "So is two."]


@pytest.mark.contract("24.10", "33.7")
def test_the_audit_trail(lines, settings):
    AuditEvent.objects.create(action="log_in", at=Now() - timedelta(days=40))
    settings.AUDIT_DAYS = 40
    assert lines("audit trail") == [
        "Events of 40 days; nobody can change them without dropping a trigger."
    ]
    settings.AUDIT_DAYS = 30
    [line] = lines("audit trail")
    assert line == (
        "It has events older than AUDIT_DAYS. Start the clock process, or run python manage.py "
        "prune_audit every day."
    )
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER audit_auditevent_kept")
    [line] = lines("audit trail")
    assert line == (
        "Somebody has dropped or disabled a trigger, so events can be changed. Compare the trail "
        "with the copy outside, and create the trigger again (audit/schema/events.sql)."
    )


@pytest.mark.contract("24.10")
def test_the_sources_and_the_clock_process(lines):
    assert lines("sources") == [
        "None. For the regular jobs, run python manage.py sync_sources --every 1."
    ]
    Source.objects.create(name="team", url="https://git.example.com/team.git")
    [line] = lines("sources")
    assert line == (
        "The clock process does not run, so sources are not synced. Start python manage.py "
        "sync_sources --every 1."
    )
    Clock.objects.acquire("clock.example (process 7)")
    assert lines("sources") == [
        "1; none is failing. The clock process is clock.example (process 7)."
    ]
    for name in ("gone", "away"):
        Source.objects.create(name=name, state="failing", reason=f"It is {name}.")
    assert lines("sources") == ["away: It is away.", "gone: It is gone."]
