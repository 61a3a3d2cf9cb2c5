"""The primary changes, or its standby hangs: no acknowledged write is lost, and 503 comes soon."""

import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import psycopg
import pytest

from demo.postgres import USER, Postgres
from tests.processes import is_within
from tests.system.acknowledged import Acknowledged
from tests.system.load import ME, REGISTER, Load, is_retriable
from tests.system.scale import scale
from tests.system.test_durability import DurableSite

pytestmark = pytest.mark.slow

CYCLES = scale(short=1, long=10)
PAUSE = scale(short=0.7, long=2)  # seconds of work before and after each change
THREADS = 12
MAX_WAIT = 6  # seconds, of marketplace.wsgi


class Pair(DurableSite):
    """A primary with a streaming standby, and a server that knows both."""

    def __init__(self, folder):
        super().__init__(folder)
        self.standby = Postgres(folder / "standby", durable=True)
        hosts = ",".join(quote(str(one.socket), safe="") for one in (self.postgres, self.standby))
        self.server.environment["DATABASE_URL"] = (
            f"postgres://{USER}@{hosts}/postgres?target_session_attrs=read-write"
        )

    def __enter__(self):
        self.first = self.postgres
        return super().__enter__()

    def __exit__(self, *_):
        self.server.stop()
        for one in (self.postgres, self.standby):
            one.stop()
        self.first.__exit__()
        for one in (self.postgres, self.standby):
            shutil.rmtree(one.socket, ignore_errors=True)

    def add_standby(self, *, is_synchronous):
        """A new standby of the primary, in place of the old one."""
        self.set(synchronous_standby_names="")
        self.standby.follow(self.postgres)
        if is_synchronous:
            self.set(synchronous_standby_names="*")
        state = "SELECT sync_state FROM pg_stat_replication"
        expected = [("sync" if is_synchronous else "async",)]
        assert is_within(60, lambda: self.rows(state) == expected)

    def promote(self):
        """The time at which the standby became the primary."""
        self.standby.run("pg_ctl", "-D", self.standby.data, "-w", "promote")
        self.postgres, self.standby = self.standby, self.postgres
        return time.monotonic()

    def walreceiver(self):
        with psycopg.connect(self.standby.url) as link:
            [(pid,)] = link.execute("SELECT pid FROM pg_stat_wal_receiver").fetchall()
        return pid

    def waiting(self):
        """How many backends wait for the standby."""
        [(number,)] = self.rows(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        )
        return number


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    with Pair(tmp_path_factory.mktemp("failover")) as pair:
        yield pair


def lose_the_primary(pair):
    pair.postgres.stop()
    return pair.promote()


def demote_the_primary(pair):
    """The primary keeps running with its connections, but no longer writes."""
    pair.set(default_transaction_read_only="on")
    time.sleep(0.2)
    return pair.promote()


@pytest.mark.parametrize(
    ("change", "is_synchronous"),
    [
        (lose_the_primary, True),
        (demote_the_primary, True),
        *scale(short=[], long=[(lose_the_primary, False)]),
    ],
)
def test_the_standby_takes_over(pair, change, is_synchronous):
    waits, lost, results = [], [], {}
    for _ in range(CYCLES):
        pair.add_standby(is_synchronous=is_synchronous)
        pair.acknowledged = Acknowledged()
        with Load(pair.server, pair.acknowledged, threads=THREADS, **pair.catalogue) as load:
            time.sleep(PAUSE)
            up = change(pair)
            is_within(15, lambda load=load, up=up: load.first_success_after(up) < float("inf"))
            time.sleep(PAUSE)
        waits.append(load.first_success_after(up) - up)
        lost += pair.acknowledged.missing(pair.rows)
        for result, number in load.results().items():
            results[result] = results.get(result, 0) + number
        if is_synchronous:
            assert load.unexpected == []
    print(  # noqa: T201
        f"\n{change.__name__} x{CYCLES}, {'' if is_synchronous else 'a'}synchronous: {results}, "
        f"{len(lost)} acknowledged lost, first success after at most {max(waits):.2f} s"
    )

    assert not is_synchronous or lost == []
    assert set(results) <= {200, 201, 401, 404, 409, 503}
    assert max(waits) < 1


def test_a_standby_that_hangs_is_a_503_in_time(pair):
    pair.add_standby(is_synchronous=True)
    agent = pair.server.request("POST", REGISTER, {"name": "Patient"}).json()
    body, receiver = {"slug": pair.catalogue["skills"][0]}, pair.walreceiver()

    def install():
        path = f"{ME}/skills/install"
        return pair.server.request("POST", path, body, token=agent["token"])

    os.kill(receiver, signal.SIGSTOP)
    begun = time.monotonic()
    try:
        with ThreadPoolExecutor(1) as pool:
            hanging = pool.submit(install)
            assert is_within(60, pair.waiting)
            read = pair.server.request("GET", "/api/v1/skills?limit=1")
            read_after = time.monotonic() - begun
            response = hanging.result()
        waited = time.monotonic() - begun
        assert is_within(2, lambda: not pair.waiting())
    finally:
        os.kill(receiver, signal.SIGCONT)
    again = install()
    print(f"\na hanging standby: 503 after {waited:.1f} s")  # noqa: T201

    assert (response.status, is_retriable(response)) == (503, True)
    assert waited < MAX_WAIT + 2
    assert read.status == 200
    assert read_after < MAX_WAIT
    assert again.status == 409
