"""Each check of `manage.py doctor`, in this process."""

import os
import re
import socket
import ssl
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from django.core.checks import Warning as CheckWarning
from django.core.management import call_command
from django.db import connection

from marketplace import doctor
from sources.models import Clock, Source
from tests.api.test_hosts import WRONG_HOST
from tests.factories import PersonaFactory, SkillFactory

ADVICE = "Have the proxy send X-Forwarded-Proto, and set TRUSTED_PROXY_COUNT."


@pytest.fixture
def lines(monkeypatch, capsys, db):
    """The lines of one check in this process: `lines("clocks")`."""

    def lines(name, **options):
        with suppress(SystemExit):
            call_command("doctor", **options)
        text = capsys.readouterr().out
        return re.findall(rf"^(?:ok|FIX|-) +{name} +(.*)$", text, re.MULTILINE)

    # The tests' own settings are no deployment's.
    monkeypatch.setattr(doctor.checks, "run_checks", lambda **_: [])
    return lines


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        (
            {"REQUIRE_HTTPS": "true"},
            f"403 (HTTPS is required). {ADVICE}",
        ),
        (
            {"ALLOWED_HOSTS": "market.example"},
            f"400 ({WRONG_HOST}). Add its host to ALLOWED_HOSTS.",
        ),
    ],
    ids=["https", "host"],
)
def test_a_server_that_refuses_requests(live_server_of, lines, variables, problem):
    url = f"http://127.0.0.1:{live_server_of(**variables).port}"

    assert lines("requests", url=url) == [f"{url}/api/v1 gets {problem}"]


def test_a_server_of_this_machine_is_expected_only_where_a_port_is_named(monkeypatch, lines):
    monkeypatch.delenv("PORT", raising=False)
    assert lines("requests") == ["Not checked: set PUBLIC_URL, or name it with --url."]

    monkeypatch.setenv("PORT", "1")
    [line] = lines("requests")
    assert line.startswith("http://127.0.0.1:1/readyz cannot be reached: ")


def test_a_server_that_is_not_there(lines):
    [line] = lines("requests", url="http://127.0.0.1:1/")
    assert line == (
        "http://127.0.0.1:1/readyz cannot be reached: [Errno 111] Connection refused. Look at DNS, "
        "the firewall and the proxy."
    )

    assert lines("requests", url="ftp://a") == [
        "ftp://a/readyz is not an http:// or https:// address."
    ]


@contextmanager
def service(respond):
    """The port of a service that responds to one connection: `respond(link)`."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as pool:

        def serve():
            with listener.accept()[0] as link:
                respond(link)

        pool.submit(serve)
        yield listener.getsockname()[1]


def test_a_certificate_that_this_machine_does_not_trust(tmp_path, lines):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names, *files]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    def shake_hands(link):
        with suppress(OSError):
            context.wrap_socket(link, server_side=True).close()

    with service(shake_hands) as port:
        url = f"https://127.0.0.1:{port}"
        [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: [SSL: CERTIFICATE_VERIFY_FAILED] ")
    assert line.endswith(". If you signed the certificate yourself, set SSL_CERT_FILE to it.")


@pytest.mark.parametrize("url", ["http://a b", "http://[::1"])
def test_an_address_that_is_none(lines, url):
    [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: ")


def test_a_server_that_speaks_no_http(lines):
    with service(lambda link: link.sendall(b"SSH-2.0-OpenSSH\r\n")) as port:
        url = f"http://127.0.0.1:{port}"
        [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: SSH-2.0-OpenSSH")


def test_a_limit_that_the_doctor_has_used_up_is_no_problem(live_server_of, lines):
    url = f"http://127.0.0.1:{live_server_of(RATE_LIMIT_REVOKE='1/h').port}"

    assert lines("requests", url=url) == [
        f"{url} responds, and believes no address that a client invents."
    ]


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


@pytest.mark.contract("24.10")
def test_the_sources_and_the_clock_process(lines):
    assert lines("sources") == ["There are none, and no clock process does the regular jobs."]
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
