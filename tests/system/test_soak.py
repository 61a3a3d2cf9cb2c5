"""Memory, descriptors, connections and counters stay bounded under a long mixed load."""

import statistics
import time
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from marketplace.models import RateCount
from tests.factories import PersonaFactory, SkillFactory
from tests.processes import workers_of
from tests.system.mixed_load import MixedLoad
from tests.system.scale import LONG, scale
from tests.system.staff import Staff

pytestmark = pytest.mark.slow

WARMING_UP = scale(short=1, long=240)  # seconds, to load modules and prepare statements
SECONDS = scale(short=3, long=600)
WORKERS, THREADS = 2, 4
MAX_GROWTH = 0.05  # of each worker's resident memory
STALE = scale(short=300, long=5000)  # counters that expired yesterday
LIMITS = {
    "RATE_LIMIT_REGISTER": "1000000/h",
    # Short windows, so that counters expire all the time.
    "RATE_LIMIT_INSTALL": "100/2s",
    "RATE_LIMIT_REVIEW": "5/2s",
    "RATE_LIMIT_REPORT": "5/2s",
    "RATE_LIMIT_MANAGE": "20/2s",
    "RATE_LIMIT_CONFIRM_CLAIM": "2/5s",
}


@dataclass
class Measure:
    """The resources of the server while it is idle."""

    memory: dict  # {worker's pid: bytes}
    descriptors: dict
    connections: int

    @property
    def descriptors_besides_connections(self):
        return sum(self.descriptors.values()) - self.connections


def connections():
    """The server's connections, by backend."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'soak'")
        return {pid for (pid,) in cursor.fetchall()}


def measure(server):
    workers = workers_of(server)
    memory = {
        worker.pid: statistics.median(worker.memory_info().rss for _ in range(5))
        for worker in workers
    }
    descriptors = {worker.pid: worker.num_fds() for worker in workers}
    return Measure(memory, descriptors, len(connections()))


class ProcessMonitor:
    """Connections seen during the load, and the memory at each tenth of it."""

    def __init__(self, server):
        self.server = server
        self.connections, self.megabytes = [], []

    def sample(self):
        for _ in range(10):
            end = time.monotonic() + SECONDS / 10
            while time.monotonic() < end:
                self.connections.append(connections())
                time.sleep(scale(short=0.1, long=0.5))
            memory = sum(worker.memory_info().rss for worker in workers_of(self.server))
            self.megabytes.append(round(memory / 1e6, 1))


def expired(ago):
    return RateCount.objects.filter(expires_at__lt=timezone.now() - ago)


def make_stale_counters():
    yesterday = timezone.now() - timedelta(days=1)
    RateCount.objects.bulk_create(
        RateCount(key=UUID(int=number), count=1, expires_at=yesterday) for number in range(STALE)
    )


def fill_response_cache(server, slug):
    """Fill the cache as in a worker that has served for a while (http_cache/store.py).

    Each query string is cached separately.
    """
    for number in range(scale(short=20, long=6000)):
        server.request("GET", f"/api/v1/skills/{slug}?{number}")


def growth(before, after):
    return max(after[pid] / before[pid] - 1 for pid in before)


def purge_by(load):
    """Register until a request purges: one counted request in 200 does, at random."""
    for _ in range(4000):
        if not expired(timedelta(hours=1)).exists():
            break
        load.register()


@pytest.mark.usefixtures("fresh_counts")
def test_it_stays_within_bounds_under_a_long_mixed_load(own_server_of):
    server = own_server_of(
        WEB_CONCURRENCY=str(WORKERS),
        WEB_THREADS=str(THREADS),
        PGAPPNAME="soak",
        # A fast machine reaches max_requests meanwhile, and the worker would be replaced.
        GUNICORN_CMD_ARGS="--max-requests 0",
        **LIMITS,
    )
    load = MixedLoad(
        server,
        Staff(server),
        size=scale(short=6, long=4),
        pause=0.01,
        skills=[entry.slug for entry in SkillFactory.create_batch(50)],
        personas=[entry.slug for entry in PersonaFactory.create_batch(20)],
    )
    monitor = ProcessMonitor(server)
    fill_response_cache(server, load.skills[0])
    make_stale_counters()
    with load:
        time.sleep(WARMING_UP)
        load.drain()
        before = measure(server)
        load.resume()
        monitor.sample()
        load.drain()
        after = measure(server)
        total = sum(load.statuses.values())
        purge_by(load)

    print(summary(load, total, before, after, monitor))  # noqa: T201
    assert load.failures == []
    assert [*after.memory] == [*before.memory], "a worker was replaced"
    # One thread more serves slow requests, such as submissions.
    assert max(map(len, monitor.connections)) <= WORKERS * (THREADS + 1)
    assert after.descriptors_besides_connections <= before.descriptors_besides_connections
    assert not expired(timedelta(minutes=5)).exists()
    if LONG:
        assert growth(before.memory, after.memory) <= MAX_GROWTH


def summary(load, total, before, after, monitor):
    def megabytes(measured):
        return " and ".join(f"{size / 1e6:.1f}" for size in measured.memory.values())

    seen = monitor.connections
    return (
        f"\nsoak of {SECONDS} s: {total} requests {dict(load.statuses.most_common())}, "
        f"{len(load.failures)} of 500 or above; "
        f"memory {megabytes(before)} -> {megabytes(after)} MB "
        f"({growth(before.memory, after.memory):+.1%} at most), of both at each tenth "
        f"{monitor.megabytes}; "
        f"descriptors {sum(before.descriptors.values())} -> {sum(after.descriptors.values())}; "
        f"connections {min(map(len, seen))} to {max(map(len, seen))}, {before.connections} -> "
        f"{after.connections} at rest, {len(set().union(*seen))} different ones; counters: "
        f"{STALE} stale ones purged, {RateCount.objects.count()} left, "
        f"{expired(timedelta(minutes=1)).count()} expired over a minute ago"
    )
