"""`manage.py doctor`: what it says about a deployment, and what to do."""

import re
import subprocess
import sys

import pytest

from demo.postgres import CHECKOUT
from infrastructure.server import headers
from tests.redis import redis_server

DURABLE = "fsync, full_page_writes, synchronous_commit"
# A line of each check. The tests' own database is not durable.
LINES = f"""\
ok  database       PostgreSQL N; the database N has N.
FIX durability     A crash loses data. Turn on in PostgreSQL: {DURABLE}.
ok  connections    N of N are in use; this host opens up to 5.
ok  migrations     All are applied.
ok  statistics     PostgreSQL has statistics to plan with, or needs none yet.
ok  findings       None.
ok  audit trail    Events of N days; nobody can change them without dropping a trigger.
ok  clocks         This host and the database differ by N seconds.
-   sources        None. For the regular jobs, run python manage.py sync_sources --every 1.
-   sign-in        OIDC_ISSUER is not set: staff log in with passwords.
-   replicas       DATABASE_REPLICA_URL is not set.
ok  python         Python N.
ok  configuration  manage.py check --deploy finds nothing.
-   connectors     OAUTH is false: agents send their tokens.
-   redis          CACHE_URL is not set: PostgreSQL counts the rate limits.
ok  static files   Served from the apps' folders; python manage.py collectstatic compresses them.
ok  disk           N has N GB free.
ok  requests       N responds, and believes no address that a client invents.
ok  backups        The newest, monday.dump, is N hours old.
Fix durability.
"""
# As behind a proxy that ends TLS.
PROXIED = {"TRUSTED_PROXY_COUNT": "1", "CSRF_TRUSTED_ORIGINS": "https://market.example"}


def examined(environment, *arguments):
    """The exit status of doctor in this environment, and what it prints."""
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", *arguments],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.contract("24.10")
def test_a_deployment(live_server_of, tmp_path):
    server = live_server_of()
    (tmp_path / "monday.dump").write_text("a dump")
    production = server.environment | PROXIED | {"REQUIRE_HTTPS": "true"}

    url = f"http://127.0.0.1:{server.port}"
    status, text = examined(production, f"--url={url}", f"--backups={tmp_path}")

    text = text.replace(f" {headers.WARNING}", "")  # which depends on the Python of this machine
    pattern = re.escape(LINES).replace("N", r"\S+(?: \wB)?")
    assert re.fullmatch(pattern, text), text
    assert status == 1
    assert len(text.splitlines()) < 24


@pytest.mark.contract("24.10")
def test_a_server_that_believes_invented_addresses(live_server_of, tmp_path):
    server = live_server_of(TRUSTED_PROXY_COUNT="1")

    status, text = examined(server.environment, f"--url=http://127.0.0.1:{server.port}")

    assert status == 1
    assert (
        "FIX requests       Clients can choose the address that they are counted by. Lower "
        "TRUSTED_PROXY_COUNT to the number of proxies that append to X-Forwarded-For.\n"
    ) in text
    assert text.endswith("Fix durability and requests.\n")


def test_a_database_that_is_away(live_server_of):
    environment = live_server_of().environment | {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "REQUIRE_HTTPS": "true",
    }

    status, text = examined(environment)

    assert status == 1
    assert text.startswith("FIX database       PostgreSQL says: connection failed: ")
    assert " See docs/deploy/errors.md.\n" in text
    assert "migrations" not in text
    assert "Traceback" not in text


@pytest.mark.infrastructure
def test_replicas_that_are_none_or_away(live_server_of):
    environment = live_server_of().environment
    for url, problem in (
        (
            environment["DATABASE_URL"],
            r"replica-0 \(\S+\) is not a replica. Correct DATABASE_REPLICA_URL\.",
        ),
        (
            "postgres://a@127.0.0.1:1/b",
            r"replica-0 \(127\.0\.0\.1\) does not respond: connection failed.*",
        ),
    ):
        _, text = examined(environment | {"DATABASE_REPLICA_URL": url})

        assert re.search(rf"^FIX replicas       {problem}$", text, re.MULTILINE), text


def test_redis(live_server_of, tmp_path):
    environment = live_server_of().environment
    with redis_server(tmp_path) as url:
        _, text = examined(environment | {"CACHE_URL": url})
    assert "ok  redis          Redis responds, and counts the rate limits.\n" in text

    _, text = examined(environment | {"CACHE_URL": url})
    assert (
        "FIX redis          Redis does not respond, so limited requests get 503: Error 111" in text
    )
