"""The clock process itself: staff request a run, and it is stopped, killed and restarted."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from threading import Event

import pytest
import yaml
from django.db.models.functions import Now
from django.utils import timezone

from demo.postgres import CHECKOUT
from sources.fetching import PREFIX
from sources.heartbeat import Heartbeat
from sources.models import Clock, Source
from tests.live import free_port, url_of_test_database
from tests.processes import is_within, processes_with
from tests.sources.test_scheduler import skill_named
from tests.sources.upstreams import advertised, hostile, respond

pytestmark = pytest.mark.servers


class ClockServer:
    """`manage.py sync_sources --every 1` on the tests' database."""

    def __init__(self, folder, hosts):
        self.folder, self.port, self.log = folder, free_port(), folder / "log"
        self.environment = {
            **os.environ,
            "DATABASE_URL": url_of_test_database(),
            "TMPDIR": str(folder),
            "SOURCE_HOSTS": hosts,
            "CLOCK_METRICS_ADDRESS": f"127.0.0.1:{self.port}",
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "sync_sources", "--every", "1"],
                cwd=CHECKOUT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def says(self, text):
        return is_within(30, lambda: text in self.log.read_text()) or self.log.read_text()

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as response:
            return response.read().decode()


@pytest.fixture
def clock_of(transactional_db, tmp_path):
    with ExitStack() as stack:
        yield lambda url: stack.enter_context(ClockServer(tmp_path, url.split("/")[2]))


def follow(url, **fields):
    return Source.objects.create(**{"name": "team", "url": url, "review": "git"} | fields)


@pytest.mark.contract("30.21", "30.22")
def test_it_notices_what_staff_ask_for_and_ends_at_sigterm(upstream, clock_of):
    first = upstream.commit(skill_named("pdf-tables"))
    source = follow(upstream.url)
    clock = clock_of(upstream.url)
    assert clock.says(f"team: {first[:10]}: 1 published") is True
    assert clock.says("Next: team at ") is True
    metrics = clock.metrics()
    assert 'sources{state="ok"} 1.0\n' in metrics
    rules = yaml.safe_load((CHECKOUT / "deploy/alerts.yml").read_text())["groups"][0]["rules"]
    [query] = [rule["expr"] for rule in rules if rule["alert"] == "MarketplaceSources"]
    names = set(re.findall(r"(\w+)[{\[]", query))
    assert names == {"sources", "clock_round_timestamp_seconds"}
    assert all(f"\n{name}" in metrics for name in names)
    second = upstream.commit(skill_named("pdf-tables") | skill_named("csv-cleaning"))
    Source.objects.update(soon=True)
    assert clock.says(f"team: {second[:10]}: 1 published, 1 unchanged") is True
    source.refresh_from_db()
    assert (source.commit, source.soon) == (second, False)

    clock.process.send_signal(signal.SIGTERM)
    assert clock.process.wait(60) == 0
    assert Clock.objects.filter(leased_until__lte=Now()).exists()
    assert "Traceback" not in clock.log.read_text()


@pytest.mark.contract("30.22")
def test_the_metrics_of_a_process_that_waits_are_true(clock_of):
    Source.objects.create(name="team", url="https://git.example.com/x", state="failing")
    started = time.time()
    with Heartbeat("elsewhere"):
        clock = clock_of("https://git.example.com/")
        assert clock.says("The clock process is ") is True
        metrics = clock.metrics()
    assert 'sources{state="failing"} 1.0\n' in metrics
    assert 'sources{state="ok"} 0.0\n' in metrics
    [last_round] = re.findall(r"\nclock_round_timestamp_seconds (.+)\n", metrics)
    assert started <= float(last_round) <= time.time()


@pytest.mark.contract("30.18", "30.22")
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_ends_during_a_fetch_leaves_it_to_the_next(
    upstream, clock_of, tmp_path, signal_number
):
    commit, is_asked, is_over = upstream.commit(skill_named("pdf-tables")), Event(), Event()

    def stall(handler):
        is_asked.set()
        respond(handler, advertised()[:20])
        is_over.wait(120)

    with hostile(stall) as url:
        follow(url)
        clock = clock_of(url)
        assert is_asked.wait(60), clock.log.read_text()
        assert processes_with(f"{tmp_path}/{PREFIX}") != []
        clock.process.send_signal(signal_number)
        clock.process.wait(60)
        assert is_within(60, lambda: processes_with(f"{tmp_path}/{PREFIX}") == [])
        is_over.set()
    leftovers = list(tmp_path.glob(f"{PREFIX}*"))
    assert bool(leftovers) == (signal_number == signal.SIGKILL)
    for path in leftovers:
        os.utime(path, (0, 0))

    assert Source.objects.filter(due_at__lte=timezone.now(), commit="").exists()
    Source.objects.update(url=upstream.url)
    Clock.objects.update(leased_until=Now())  # half a minute later
    again = clock_of(upstream.url)
    assert again.says(f"team: {commit[:10]}: 1 published") is True
    assert list(tmp_path.glob(f"{PREFIX}*")) == []
    assert Source.objects.get().due_at > timezone.now()
