"""`python -m demo.cluster`: each part does its share, and one of the hosts may fail."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys

import psutil
import psycopg
import pytest

from demo.__main__ import is_free
from demo.postgres import Postgres
from tests.checkouts import migrated_checkout
from tests.processes import is_within

pytestmark = pytest.mark.slow

READS = 100
TRANSACTIONS = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"


class Cluster:
    """The cluster of a checkout of its own, whose catalogue has no past activity."""

    def __init__(self, folder):
        # The hosts and the pooler have the next ports. Outgoing connections use ports above them.
        self.port = next(
            port for port in range(20000, 30000, 10) if all(is_free(port + n) for n in range(4))
        )
        self.folder = migrated_checkout(folder / "checkout", "cluster/primary")
        self.log = folder / "log"

    def __enter__(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "demo.cluster"],
                cwd=self.folder,
                env={**os.environ, "PORT": str(self.port), "DEMO_ACTIVITY": "0"},
                stdout=log,
                stderr=log,
            )
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def is_ready(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return all(self.request("GET", "/readyz", port=n)[0] == 200 for n in range(3))
        except OSError:
            return False

    def register(self):
        """Whether it succeeds. While the router has seen no host answer, it sends its own page."""
        body = {"name": "Traveller"}
        status, self.agent = self.request("POST", "/api/v1/agents/register", body)
        assert status == 201 or (status, type(self.agent)) == (503, str), self.agent
        return status == 201

    def request(self, method, path, body=None, *, token="", port=0):
        link = http.client.HTTPConnection("127.0.0.1", self.port + port, timeout=30)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        link.request(method, path, body and json.dumps(body), headers)
        response = link.getresponse()
        content = response.read()
        link.close()
        is_page = response.getheader("Content-Type", "").startswith("text/html")
        return response.status, content.decode() if is_page else json.loads(content)

    def statuses(self, number):
        return [self.request("GET", f"/api/v1/skills?q=word{n}")[0] for n in range(number)]

    def host(self, number):
        """The process id of the host's gunicorn."""
        address = f"127.0.0.1:{self.port + number}"
        children = psutil.Process(self.process.pid).children()
        [host] = [child.pid for child in children if address in " ".join(child.cmdline())]
        return host


def transactions(postgres):
    with psycopg.connect(postgres.url) as link:
        return link.execute(TRANSACTIONS).fetchone()[0]


@pytest.mark.skipif(
    not (shutil.which("pgbouncer") and shutil.which("haproxy")),
    reason="pgbouncer and haproxy are not installed",
)
def test_the_cluster_serves_and_loses_a_host_without_a_failure(tmp_path):
    with Cluster(tmp_path) as cluster:
        assert is_within(180, cluster.is_ready), cluster.log.read_text()
        assert is_within(60, cluster.register)
        path, body = "/api/v1/agents/me/skills/install", {"slug": "pdf-tables"}
        installs = [
            cluster.request("POST", path, body, token=cluster.agent["token"])[0] for _ in range(2)
        ]
        assert installs == [201, 409]

        replica = Postgres(cluster.folder / ".demo/cluster/replica")
        before = transactions(replica)
        assert cluster.statuses(READS) == [200] * READS
        assert is_within(60, lambda: transactions(replica) > before + READS)

        os.kill(cluster.host(1), signal.SIGKILL)
        assert cluster.statuses(READS) == [200] * READS
    assert "Traceback" not in cluster.log.read_text()
