"""Releases overlap: while the next one migrates and its processes start, requests are served."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from demo.postgres import CHECKOUT
from tests.live import LiveServer, url_of_test_database
from tests.next_release import add_migration, next_release_of
from tests.processes import is_within
from tests.system.acknowledged import Acknowledged
from tests.system.load import Load
from tests.system.scale import UNLIMITED, scale
from tests.system.workers import Readers

pytestmark = pytest.mark.slow

ENTRIES = scale(short=2_000, long=20_000)
HOLD = scale(short=2, long=15)  # seconds that each long transaction holds its locks
CLIENTS = 8
SLUGS = [f"bench-{number}" for number in range(2, 10)]  # the tenth persona has a price
READS = [
    f"/api/v1/{kind}{below}"
    for kind in ("skills", "personas")
    for below in ("?limit=5&sort=newest", *(f"/{slug}" for slug in SLUGS))
]
# The index comes first. Each waits for its own transaction.
INDEX = "AddIndexConcurrently('skillinstall', models.Index(fields=['runtime'], name='by_runtime'))"
COLUMN = "migrations.AddField('agent', 'colour', models.CharField(max_length=9, db_default='red'))"
HOLD_THE_INDEX_BACK = "LOCK TABLE installs_skillinstall IN ROW EXCLUSIVE MODE"
HOLD_THE_COLUMN_BACK = "LOCK TABLE agents_agent IN ACCESS SHARE MODE"
SETTINGS = """
from marketplace.settings import *
MIGRATION_MODULES = {modules}
"""


class ReleasedSite:
    """A separate filled database, the server of one release on it, and the next release."""

    def __init__(self, folder, database):
        self.folder, self.database = folder, database
        self.server = LiveServer(
            folder / "server.log",
            {"DATABASE_URL": database, "WEB_CONCURRENCY": "2", **UNLIMITED},
        )

    def fill(self):
        sizes = {"skills": ENTRIES, "personas": 20, "agents": ENTRIES, "installs": ENTRIES}
        options = [part for name, size in sizes.items() for part in (f"--{name}", str(size))]
        self.run("-m", "bench.fill", str(self.folder), *options)

    def run(self, *command):
        """The output of a Python command on the database."""
        process = self.begin(*command)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
        return output

    def begin(self, *command, **variables):
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=CHECKOUT,
            env={**self.server.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def begin_to_migrate(self):
        """Run the Procfile's line with the migrations of the next release."""
        installs, agents = (next_release_of(app, self.folder) for app in ("installs", "agents"))
        index = add_migration(installs, INDEX, atomic=False)
        add_migration(agents, COLUMN, after=[index])
        modules = {"installs": installs.name, "agents": agents.name}
        (self.folder / "next_settings.py").write_text(SETTINGS.format(modules=modules))
        return self.begin(
            *("manage.py", "migrate", "--no-input"),
            PYTHONPATH=str(self.folder),
            DJANGO_SETTINGS_MODULE="next_settings",
        )

    @contextmanager
    def long_transaction(self, statement):
        with psycopg.connect(self.database) as link:
            link.execute(statement)
            yield

    def is_waiting(self, statement):
        """Whether a statement with this start waits for a lock."""
        with psycopg.connect(self.database) as link:
            cursor = link.execute(
                "SELECT FROM pg_stat_activity WHERE query LIKE %s AND wait_event_type = 'Lock'",
                [f"{statement}%"],
            )
            return cursor.fetchone() is not None

    def workers(self):
        return self.server.log.read_text().count("Booting worker")


@pytest.fixture
def site(django_db_setup, tmp_path):
    """On a database that is dropped with its next release."""
    server = urlsplit(url_of_test_database())
    name = f"release_{os.getpid()}"
    with psycopg.connect(urlunsplit(server), autocommit=True) as link:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        link.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        site = ReleasedSite(tmp_path, urlunsplit(server._replace(path=f"/{name}")))
        try:
            site.fill()
            site.server.start()
            yield site
        finally:
            site.server.stop()
            link.execute(drop)


def test_the_running_release_fails_no_request_while_the_next_one_migrates(site):
    readers = Readers(site.server, READS)
    load = Load(site.server, Acknowledged(), threads=CLIENTS, skills=SLUGS, personas=SLUGS)
    with readers, load:
        with site.long_transaction(HOLD_THE_COLUMN_BACK):
            with site.long_transaction(HOLD_THE_INDEX_BACK):
                migration = site.begin_to_migrate()
                assert is_within(60, lambda: site.is_waiting("CREATE INDEX"))
                time.sleep(HOLD)
            assert is_within(60, lambda: site.is_waiting("ALTER TABLE"))
            time.sleep(HOLD)
        output, _ = migration.communicate(timeout=60)
        workers = site.workers()
        site.server.process.send_signal(signal.SIGHUP)
        assert is_within(30, lambda: site.workers() == workers + 2)
        time.sleep(1)

    print(  # noqa: T201
        f"\n{len(readers.seconds)} reads, {len(readers.failures)} of them failed; writes: "
        f"{load.results()}; slowest {max(one.ended - one.begun for one in load.outcomes):.2f} s\n"
        f"{output}"
    )
    assert readers.failures == load.unexpected == []
    assert set(load.results()) == {200, 201}
    assert migration.returncode == 0, output
    assert "next... waits for a lock; the oldest transaction is that of process" in output
    assert "Every counter is correct." in site.run("manage.py", "recount")
