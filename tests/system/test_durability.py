"""Acknowledged writes are durable: they survive the crash of any process."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest

from demo.postgres import CHECKOUT, Postgres
from tests.live import LiveServer
from tests.processes import is_within
from tests.system.acknowledged import Acknowledged
from tests.system.kept_versions import Editor, broken_versions
from tests.system.load import NO_RESPONSE, Load
from tests.system.scale import LONG, UNLIMITED, scale

pytestmark = pytest.mark.slow

CYCLES = scale(short=1, long=10)
THREADS = 12
CROWD = 500  # agents, more than are served before a fault
PAUSE = scale(short=0.7, long=2)  # seconds of work before and after each fault
DOWNTIMES = (1, 0, 2, 4, 7)  # seconds until the database starts again, in turn
WORKERS = 2
BROWSE = "/api/v1/skills?limit=1"
# One process, because starting Django takes longer than the work.
PREPARE = """
from django.core.management import call_command

call_command("migrate", verbosity=0)
call_command("import_skills", "demo/skills")
call_command("import_personas", "demo/personas")
"""


class DurableSite:
    """A durable database (fsync on) and a server of two workers on it."""

    def __init__(self, folder):
        self.postgres = Postgres(folder / "postgres", durable=True)
        self.environment = {
            **os.environ,
            **UNLIMITED,
            "DATABASE_URL": self.postgres.url,
            "WEB_CONCURRENCY": str(WORKERS),
            "WEB_THREADS": "4",
        }
        self.server = LiveServer(folder / "server.log", self.environment)
        self.acknowledged = Acknowledged()

    def __enter__(self):
        self.postgres.__enter__()
        self.manage("shell", "--no-imports", "--command", PREPARE)
        free = self.rows("SELECT slug FROM catalogue_persona WHERE price_cents = 0")
        self.catalogue = {
            "skills": [slug for (slug,) in self.rows("SELECT slug FROM catalogue_skill")],
            "personas": [slug for (slug,) in free],
        }
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop()
        self.postgres.__exit__()

    def manage(self, *arguments):
        """The output of a management command on this database."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def set(self, **settings):
        with psycopg.connect(self.postgres.url, autocommit=True) as link:
            # Not replicated, because there may be no standby.
            for name, value in settings.items():
                link.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            link.execute("SELECT pg_reload_conf()")

    def rows(self, query):
        with psycopg.connect(self.postgres.url) as link:
            return link.execute(query).fetchall()

    def when_it_accepts(self):
        """The time from which the database accepts connections."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                psycopg.connect(self.postgres.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.01)
            else:
                return time.monotonic()
        raise AssertionError("the database does not come back")

    def workers(self):
        booted = re.findall(r"Booting worker with pid: (\d+)", self.server.log.read_text())
        return [int(pid) for pid in booted]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with DurableSite(tmp_path_factory.mktemp("durability")) as site:
        yield site


# Each fault returns the time from which the wait for the first success is measured.


def kill_the_database(site, downtime):
    os.kill(int((site.postgres.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    return start_the_database(site, downtime)


def restart_the_database(site, downtime):
    site.postgres.run("pg_ctl", "-D", site.postgres.data, "-m", "fast", "-w", "stop")
    return start_the_database(site, downtime)


def start_the_database(site, downtime):
    time.sleep(downtime)
    with ThreadPoolExecutor(1) as watch:
        accepts = watch.submit(site.when_it_accepts)
        site.postgres.start()
        return accepts.result()


def kill_the_workers(site, _downtime):
    before = site.workers()
    for pid in before[-WORKERS:]:
        os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    assert is_within(60, lambda: len(site.workers()) == len(before) + WORKERS)
    return killed


def restart_the_server(site, _downtime):
    site.server.stop()
    site.server.start()
    return time.monotonic()


@pytest.mark.parametrize(
    ("fault", "failures", "timeout"),
    [
        (kill_the_database, {503}, 1),
        (restart_the_database, {503}, 1),
        (kill_the_workers, NO_RESPONSE, 15),  # a new worker first imports Django
        (restart_the_server, NO_RESPONSE, 1),
    ],
)
def test_acknowledged_is_durable(site, fault, failures, timeout):
    ups = []
    load = Load(site.server, site.acknowledged, threads=THREADS, **site.catalogue)
    with load, Editor(site) as editor:
        for downtime in itertools.islice(itertools.cycle(DOWNTIMES), CYCLES):
            time.sleep(PAUSE)
            ups.append(fault(site, downtime))
            is_within(15, lambda: load.first_success_after(ups[-1]) < float("inf"))
        time.sleep(PAUSE)
    waits = [load.first_success_after(up) - up for up in ups]
    print(f"\n{summary(fault, load, waits)}; {editor.saves} texts saved by staff")  # noqa: T201

    assert load.unexpected == []
    assert set(load.results()) <= {200, 201, 401, 404, 409} | failures
    assert site.acknowledged.missing(site.rows) == []
    assert load.updates or not LONG
    assert max(waits) < timeout
    if fault is kill_the_workers:
        # A killed worker loses the requests that it is handling, and no others.
        assert load.unanswered() <= THREADS * CYCLES
    if fault is restart_the_server:
        assert load.lost_responses == []


class Crowd(Load):
    """As a context manager: agents that all install one skill."""

    def __init__(self, site):
        super().__init__(site.server, site.acknowledged, threads=THREADS, **site.catalogue)
        with ThreadPoolExecutor(THREADS) as pool:
            self.agents = list(pool.map(lambda _: self.register(), range(CROWD)))

    def work(self):
        with suppress(IndexError):
            while not self.stopped.is_set():
                self.install(self.agents.pop(), "skills", self.skills[0])


def test_installs_of_one_skill_are_durable(site):
    """A writer that others wait for commits without waiting for the disk (installs/sql.py)."""
    for _ in range(CYCLES):
        with Crowd(site) as crowd:
            time.sleep(0.3)
            kill_the_database(site, downtime=0)
        assert crowd.unexpected == []
        assert set(crowd.results()) <= {201, 409, 503}
    missing = site.acknowledged.missing(site.rows)
    print(f"\none skill x{CYCLES}: {crowd.acknowledged.number()} rows, missing {len(missing)}")  # noqa: T201

    assert missing == []


def test_the_first_requests_after_an_idle_restart_of_the_database_succeed(site):
    """Every kept connection is dead by then, but not yet detected."""
    responses = []
    for _ in range(CYCLES):
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda _: site.server.request("GET", BROWSE), range(THREADS * 10)))
        restart_the_database(site, downtime=0)
        for _ in range(20):
            begun = time.monotonic()
            status = site.server.request("GET", BROWSE).status
            responses.append((status, round(time.monotonic() - begun, 2)))
    refused = [response for response in responses if response[0] != 200]
    print(  # noqa: T201
        f"\nidle restart x{CYCLES}: {len(responses)} requests one by one, {len(refused)} refused, "
        f"slowest {max(seconds for _, seconds in responses):.2f} s"
    )

    assert refused == []
    assert max(seconds for _, seconds in responses) < 1


def test_every_counter_is_true_afterwards(site):
    assert site.manage("recount") == "Every counter is correct.\n"


def test_every_version_is_whole_afterwards(site):
    assert broken_versions(site.rows) == {}


def summary(fault, load, waits):
    results = load.results()
    return (
        f"{fault.__name__} x{len(waits)}: {sum(results.values())} requests of {THREADS} agents, "
        f"{load.acknowledged.number()} rows acknowledged so far, {results[503]} answered 503, "
        f"{load.unanswered()} unanswered, "
        f"{len(load.lost_responses)} responses lost after the commit; "
        f"first success after {min(waits):.2f} to {max(waits):.2f} s"
        f" {[round(wait, 2) for wait in waits]}"
    )
