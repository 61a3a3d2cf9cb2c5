"""Measuring: wrk drives one endpoint of one server after the other, round by round."""

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import psutil

LUA = Path(__file__).with_name("requests.lua")
ENDPOINTS = [
    "list",
    "filtered list",
    "search",
    "detail",
    "304",
    "profile",
    "skill install",
    "persona install",
    "review",
]


@dataclass
class Measurement:
    """One endpoint in one round; times in microseconds."""

    rate: float
    p50: float
    p99: float
    server: float
    database: float

    @property
    def cost(self):
        return self.server + self.database


class Bench:
    def __init__(self, postgres, lists, options):
        self.postgres, self.lists, self.options = postgres, lists, options
        self.database_pid = int((postgres.data / "postmaster.pid").read_text().split()[0])

    def rounds(self, servers):
        """`{(endpoint, name of the server): [Measurement]}`. All take turns in each round."""
        measured, names = defaultdict(list), [*servers]
        for number in range(self.options.rounds + 1):
            progress = f"round {number} of {self.options.rounds}" if number else "filling caches"
            print(progress, file=sys.stderr, flush=True)
            for endpoint in self.options.endpoints:
                for name in names:
                    measurement = self.drive(servers[name], endpoint)
                    if number:
                        measured[endpoint, name].append(measurement)
            names.append(names.pop(0))  # So that each is first in turn.
        return measured

    def drive(self, server, endpoint):
        """Let wrk drive one endpoint, and measure what that costs."""
        if endpoint == "304":
            write_etags(self.lists, server.url)
        pids = (server.process.pid, self.database_pid)
        before = [processor_seconds(pid) for pid in pids]
        result = self.wrk(server, endpoint)
        after = [processor_seconds(pid) for pid in pids]
        spent = [
            1e6 * (end - start) / result["requests"]
            for start, end in zip(before, after, strict=True)
        ]
        rate = 1e6 * result["requests"] / result["microseconds"]
        return Measurement(rate, result["p50"], result["p99"], *spent)

    def wrk(self, server, endpoint):
        """The numbers that requests.lua prints at the end."""
        command = [
            *("wrk", "-t1", f"-c{self.options.connections}", f"-d{self.options.seconds}s"),
            *("-s", str(LUA), server.url, "--", endpoint, str(self.lists)),
        ]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (line,) = [line for line in output.splitlines() if line.startswith("RESULT ")]
        result = json.loads(line.removeprefix("RESULT "))
        if result["broken"]:
            raise SystemExit(f"{endpoint}: {result['broken']} requests got no response")
        return result


def processor_seconds(pid):
    """Processor time of a process and its children, also of those that have ended."""
    parent = psutil.Process(pid)
    total = sum(parent.cpu_times()[:4])
    for child in parent.children():
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total


def write_etags(folder, server_url):
    """Write paths with the ETag that this server has for them now."""
    slugs = (folder / "skills").read_text().split()[:200]
    rows = []
    for path in ["skills", *(f"skills/{slug}" for slug in slugs)]:
        with urllib.request.urlopen(f"{server_url}/api/v1/{path}") as response:
            rows.append(f"{path} {response.headers['ETag']}")
    (folder / "etags").write_text("\n".join(rows) + "\n")
