"""Reading from replicas: every later response shows what was committed, and no read fails."""

import http.client
import json
import random
import shutil
import time

import psutil
import psycopg
import pytest

from demo.postgres import Postgres
from tests.processes import is_within
from tests.system.scale import scale
from tests.system.test_durability import DurableSite
from tests.system.workers import Readers

pytestmark = pytest.mark.slow

CHECKS = scale(short=200, long=2000)
SECONDS = scale(short=1, long=10)  # of reading before and after each fault
READS = 300
MAX_LAG = 1  # second, the default


class ReplicatedSite(DurableSite):
    """A primary with two streaming replicas, and a server that reads from them."""

    def __init__(self, folder):
        super().__init__(folder)
        self.replicas = [Postgres(folder / f"replica-{n}", durable=True) for n in range(2)]
        # As for a primary that may change.
        self.server.environment["DATABASE_URL"] += "?target_session_attrs=read-write"
        urls = ",".join(replica.url for replica in self.replicas)
        self.server.environment["DATABASE_REPLICA_URL"] = urls

    def __enter__(self):
        super().__enter__()
        for replica in self.replicas:
            replica.follow(self.postgres)
        return self

    def __exit__(self, *_):
        for replica in self.replicas:
            replica.stop()
            shutil.rmtree(replica.socket, ignore_errors=True)
        super().__exit__()

    def transactions(self, postgres):
        with psycopg.connect(postgres.url) as link:
            link.execute("SELECT pg_stat_force_next_flush()")
            [(number,)] = link.execute(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"
            )
        return number

    def are_asked(self):
        """Whether each replica gets its share of some searches, besides the monitor's checks."""
        before = [self.transactions(replica) for replica in self.replicas]
        for _ in range(50):
            assert self.server.request("GET", f"/api/v1/skills?q={random.random()}").status == 200
        time.sleep(1.2)  # until the backends have reported their statistics
        after = [self.transactions(replica) for replica in self.replicas]
        return all(more > less + 25 for more, less in zip(after, before, strict=True))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with ReplicatedSite(tmp_path_factory.mktemp("replicas")) as site:
        assert is_within(30, site.are_asked)
        yield site


@pytest.mark.contract("8.19")
def test_every_later_response_shows_committed_changes(site):
    site.set(synchronous_standby_names="2 (*)", synchronous_commit="remote_apply")
    states = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
    assert is_within(60, lambda: site.rows(states) == [(2,)])
    slug = site.catalogue["skills"][0]
    links = [http.client.HTTPConnection("127.0.0.1", site.server.port) for _ in range(8)]
    stale = []
    with psycopg.connect(site.postgres.url, autocommit=True) as staff:
        for number in range(CHECKS):
            staff.execute(
                "UPDATE catalogue_skill SET title = %s WHERE slug = %s", [f"Title {number}", slug]
            )
            for path in (f"/api/v1/skills/{slug}", "/api/v1/skills?limit=100"):
                link = random.choice(links)
                link.request("GET", path)
                body = json.loads(link.getresponse().read())
                titles = {entry["slug"]: entry["title"] for entry in body.get("results", [body])}
                if titles[slug] != f"Title {number}":
                    stale.append((number, path, titles[slug]))
    for link in links:
        link.close()
    site.set(synchronous_standby_names="", synchronous_commit="on")
    print(f"\n{CHECKS} changes, each read twice at once: {len(stale)} stale")  # noqa: T201

    assert stale == []


def test_reading_costs_the_primary_nothing(site):
    slug = site.catalogue["skills"][0]

    def costs_nothing():
        before = site.transactions(site.postgres)
        begun = time.monotonic()
        for _ in range(READS):
            # The primary counts searches that find nothing.
            query = f"/skills?q={slug}+word{random.getrandbits(40)}"
            path = random.choice([f"/api/v1{query}", query])
            assert site.server.request("GET", path).status == 200
        time.sleep(1.2)
        transactions = site.transactions(site.postgres) - before
        looks = 2 * 5 * (time.monotonic() - begun)  # of two processes, five a second
        print(f"\n{READS} searches: {transactions} transactions of the primary")  # noqa: T201
        return transactions < looks + READS / 3

    # On a busy machine a replica is left out for a moment, and the primary is used instead.
    assert is_within(60, costs_nothing)


def test_replicas_that_are_behind_are_left_out(site):
    slug = site.catalogue["skills"][1]
    for replica in site.replicas:
        with psycopg.connect(replica.url, autocommit=True) as link:
            link.execute("SELECT pg_wal_replay_pause()")
    try:
        with psycopg.connect(site.postgres.url, autocommit=True) as staff:
            staff.execute("UPDATE catalogue_skill SET title = 'New' WHERE slug = %s", [slug])
        time.sleep(MAX_LAG + 0.6)  # and some checks of the servers
        responses = [site.server.request("GET", f"/api/v1/skills/{slug}") for _ in range(50)]
    finally:
        for replica in site.replicas:
            with psycopg.connect(replica.url, autocommit=True) as link:
                link.execute("SELECT pg_wal_replay_resume()")

    assert {response.json()["title"] for response in responses} == {"New"}
    assert is_within(30, site.are_asked)


def test_a_replica_that_is_killed_or_frozen_fails_no_request(site):
    searches = [f"/api/v1/skills?q={random.random()}" for _ in range(1000)]
    paths = ["/api/v1/skills", "/skills"] * 1000 + searches
    first, second = site.replicas
    with Readers(site.server, paths, threads=6, pause=0) as readers:
        time.sleep(SECONDS)
        first.stop()
        time.sleep(SECONDS)
        frozen = processes_of(second)
        for process in frozen:
            process.suspend()
        time.sleep(SECONDS + 2)
        for process in frozen:
            process.resume()
        first.start()
    print(  # noqa: T201
        f"\n{len(readers.seconds)} reads while replicas were killed and frozen: "
        f"{len(readers.failures)} failed, slowest {max(readers.seconds):.1f} s"
    )

    assert readers.failures == []
    assert max(readers.seconds) < 5
    assert is_within(30, site.are_asked)


def processes_of(postgres):
    """The postmaster, and every process that it has started."""
    master = psutil.Process(int((postgres.data / "postmaster.pid").read_text().split()[0]))
    return [master, *master.children()]
