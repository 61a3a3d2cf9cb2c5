"""/metrics counts every response of all worker processes, on a separate address."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

from demo.postgres import CHECKOUT
from tests.environments import start
from tests.factories import AgentFactory, SkillFactory
from tests.live import LiveServer, free_port
from tests.processes import is_within

pytestmark = pytest.mark.servers

SKILLS, INSTALL = "/api/v1/skills", "/api/v1/agents/me/skills/install"
SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
REQUESTS = "http_request_duration_seconds_count"


@pytest.fixture
def server(transactional_db, tmp_path):
    environment = {
        "WEB_CONCURRENCY": "2",
        "METRICS_ADDRESS": f"127.0.0.1:{free_port()}",
        "RATE_LIMIT_INSTALL": "2/h",
        "TMPDIR": str(tmp_path),
    }
    with LiveServer(tmp_path / "server.log", environment) as server:
        yield server


def scraped(server):
    """`{(name, labels): value}` of one scrape."""
    link = http.client.HTTPConnection(server.environment["METRICS_ADDRESS"], timeout=60)
    link.request("GET", "/metrics")
    text = link.getresponse().read().decode()
    link.close()
    lines = [SAMPLE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    return {
        (line[1], frozenset(re.findall(r'(\w+)="([^"]*)"', line[2] or ""))): float(line[3])
        for line in lines
    }


def total(samples, name, **labels):
    return sum(
        value for key, value in samples.items() if key[0] == name and labels.items() <= key[1]
    )


def by_status(samples):
    counted = Counter()
    for (name, labels), value in samples.items():
        if name == REQUESTS:
            counted[int(dict(labels)["status"])] += value
    return counted


def shown_in_the_dashboard():
    """The metrics that deploy/grafana.json and deploy/alerts.yml ask for."""
    panels = json.loads((CHECKOUT / "deploy" / "grafana.json").read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    [group] = yaml.safe_load((CHECKOUT / "deploy" / "alerts.yml").read_text())["groups"]
    queries += [rule["expr"] for rule in group["rules"]]
    return set(re.findall(r"(?:http|database|response|rate_limit)_\w+", " ".join(queries)))


def load(server, token):
    """Requests of many kinds on separate connections, so that both workers get some."""
    cases = [
        *[("GET", SKILLS, {})] * 150,
        *[("GET", f"{SKILLS}?limit={limit}", {}) for limit in range(1, 31)],
        *[("HEAD", f"{SKILLS}/pdf", {})] * 20,
        *[("GET", f"/nowhere/{number}", {}) for number in range(20)],
        *[("GET", f"{SKILLS}?foo=1", {}), ("GET", "/skills/pdf", {}), ("BREW", "/", {})] * 5,
        *[("POST", INSTALL, {"slug": "pdf"})] * 6,
        *[("GET", "/healthz", {})] * 5,
    ]

    def status_of(case):
        return server.request(*case, token=token if case[0] == "POST" else None).status

    with ThreadPoolExecutor(8) as pool:
        statuses = Counter(pool.map(status_of, cases))
    for _ in range(3):
        assert server.raw(b"GET / HTTP/9\r\n\r\n").startswith(b"HTTP/1.1 400")
    return statuses + Counter({400: 3})


@pytest.mark.infrastructure
def test_the_totals_are_those_of_the_client(server):
    SkillFactory(slug="pdf")
    token = AgentFactory().token.text
    before = scraped(server)

    statuses = load(server, token)

    after = scraped(server)
    assert sorted(statuses) == [200, 201, 400, 404, 405, 409, 429]
    assert by_status(after) - by_status(before) == statuses
    listed = total(after, REQUESTS, route="/api/v1/skills/", method="GET", status="200")
    assert listed == 180
    assert total(after, REQUESTS, route="/api/v1/skills/<slug>/", method="HEAD") == 20
    assert total(after, REQUESTS, route="none", status="404") == 20
    assert total(after, REQUESTS, method="other") == 5 + 3
    assert total(after, "rate_limit_refusals_total", policy="install") == 4
    # Each process makes each response once, or twice in two threads at the same time.
    hits = total(after, "response_cache_hits_total")
    misses = total(after, "response_cache_misses_total")
    assert hits + misses == 180 + 20 + 5
    assert 32 <= misses <= 64
    assert total(after, "response_cache_bytes") > 32 * 2048
    assert 1 <= total(after, "database_connections") <= 8
    assert total(after, "database_statement_duration_seconds_count") > hits
    assert total(after, "database_statement_duration_seconds_sum") > 0
    assert "/nowhere" not in repr(after)
    assert shown_in_the_dashboard() <= {name for name, _ in after}


def test_they_outlive_a_worker_and_its_connections_do_not(server):
    for _ in range(20):
        server.request("GET", SKILLS)
    before = scraped(server)
    assert total(before, REQUESTS, status="200", route="/api/v1/skills/") == 20

    server.process.send_signal(signal.SIGHUP)
    assert is_within(60, lambda: server.log.read_text().count("Booting worker") == 4)
    assert is_within(60, lambda: server.log.read_text().count("Worker exiting") == 2)
    # A worker that responds also exports.
    assert server.request("GET", "/healthz").status == 200

    # The master has to notice that the old workers are gone.
    assert is_within(60, lambda: total(scraped(server), "database_connections") == 0)
    after = scraped(server)
    assert total(after, REQUESTS, status="200", route="/api/v1/skills/") == 20


def test_their_files_are_removed(server, tmp_path):
    assert [*tmp_path.glob("marketplace-metrics-*/*.db")]

    server.stop()

    assert not [*tmp_path.glob("marketplace-metrics-*")]


def test_an_address_that_is_taken_stops_the_start():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = start(
            "-m", "gunicorn", "marketplace.wsgi", METRICS_ADDRESS=address, PORT=str(free_port())
        )

    assert done.returncode != 0
    assert "METRICS_ADDRESS cannot be used: [Errno 98] Address already in use." in done.stderr


def test_without_variables_no_package_is_imported():
    code = (
        "import sys, marketplace.wsgi\n"
        "print([name for name in ('prometheus_client', 'sentry_sdk', 'opentelemetry.sdk') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT
    )

    assert done.stdout == "[]\n"
