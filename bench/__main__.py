"""What a request costs, endpoint by endpoint: `make bench` (needs wrk: apt-get install wrk).

python -m bench [--rounds N] [--seconds N] [--connections N] [ENDPOINT...]

Fills a database in .demo/bench once, starts the Procfile's web line, and lets wrk drive each
endpoint. Rounds are interleaved, so that noise affects all alike, and medians are printed.
Processor time, of the processes of the server and of PostgreSQL, varies less than rates do. Two
floors are measured in the same rounds: an empty response of the same gunicorn, and the endpoint's
own statements run by pgbench.
"""

import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import django
import psutil
from django.core.management import call_command
from django.db import connection

from bench.fill import SIZES, fill
from bench.server import Server, configure
from demo.postgres import CHECKOUT, Postgres, find_binaries

FOLDER = CHECKOUT / ".demo" / "bench"
LISTS = FOLDER / "lists"
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
    refused: int


def processor_seconds(pid):
    """Processor time of a process and its children, also of those that have ended."""
    parent = psutil.Process(pid)
    total = sum(parent.cpu_times()[:4])
    for child in parent.children():
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:2])
    return total


class Bench:
    def __init__(self, postgres, options):
        self.postgres, self.options = postgres, options
        self.database_pid = int((postgres.data / "postmaster.pid").read_text().split()[0])

    def drive(self, server, endpoint):
        """Let wrk drive one endpoint, and measure what that costs."""
        pids = (server.process.pid, self.database_pid)
        before = [processor_seconds(pid) for pid in pids]
        command = [
            *("wrk", "-t1", f"-c{self.options.connections}", f"-d{self.options.seconds}s"),
            *("-s", str(LUA), server.url, "--", endpoint, str(LISTS)),
        ]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        after = [processor_seconds(pid) for pid in pids]
        (line,) = [line for line in output.splitlines() if line.startswith("RESULT ")]
        result = json.loads(line.removeprefix("RESULT "))
        if result["broken"]:
            raise SystemExit(f"{endpoint}: {result['broken']} requests got no response")
        spent = [
            1e6 * (end - start) / result["requests"]
            for start, end in zip(before, after, strict=True)
        ]
        return Measurement(
            rate=1e6 * result["requests"] / result["microseconds"],
            p50=result["p50"],
            p99=result["p99"],
            server=spent[0],
            database=spent[1],
            refused=result["refused"],
        )

    def pgbench(self, script):
        """PostgreSQL's processor time for one run of an endpoint's statements, undone each time."""
        before = processor_seconds(self.database_pid)
        output = subprocess.run(
            [
                *(find_binaries() / "pgbench", "--no-vacuum", "--protocol=prepared"),
                *("-c", "2", "-T", str(self.options.seconds), "-f", script),
                *("-h", self.postgres.socket, "-U", "marketplace", "postgres"),
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        time.sleep(0.5)  # Until PostgreSQL has reaped the backends.
        spent = processor_seconds(self.database_pid) - before
        (line,) = [line for line in output.splitlines() if "actually processed" in line]
        return 1e6 * spent / int(line.split(":")[1].split("/")[0])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("endpoints", nargs="*", metavar="ENDPOINT", default=ENDPOINTS)
    options = parser.parse_args()
    if unknown := set(options.endpoints) - set(ENDPOINTS):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(ENDPOINTS)}")
    if shutil.which("wrk") is None:
        sys.exit("This needs wrk: apt-get install wrk")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with Postgres(FOLDER / "postgres", alone=True) as postgres:
        configure(postgres.url)
        django.setup()
        from bench import lists, statements  # noqa: PLC0415 (they import models)

        call_command("migrate", verbosity=0)
        fill(**SIZES)
        lists.write(LISTS)
        statements.write_scripts(LISTS)
        with Server(FOLDER) as server, Server(FOLDER, "bench.bare") as bare:
            lists.write_etags(LISTS, server.url)
            report(*measure(Bench(postgres, options), server, bare), options)


def measure(bench, server, bare):
    """`{endpoint: [Measurement]}` and `{endpoint: [microseconds of pgbench]}`, by round."""
    measurements, floors = defaultdict(list), defaultdict(list)
    for endpoint in bench.options.endpoints:  # caches, prepared statements
        bench.drive(server, endpoint)
    for number in range(bench.options.rounds):
        print(f"round {number + 1} of {bench.options.rounds}", file=sys.stderr, flush=True)
        measurements["bare"].append(bench.drive(bare, "bare"))
        for endpoint in bench.options.endpoints:
            measurements[endpoint].append(bench.drive(server, endpoint))
            floors[endpoint].append(bench.pgbench(LISTS / f"{endpoint}.sql"))
    return measurements, floors


def version():
    """That of the server, which need not be that of the programs beside it."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return cursor.fetchone()[0]


def report(measurements, floors, options):
    def median(endpoint, name):
        return statistics.median(getattr(measured, name) for measured in measurements[endpoint])

    bare = median("bare", "server")
    sizes = ", ".join(f"{number:,} {name}" for name, number in SIZES.items())
    print(
        f"{date.today():%d %B %Y}, {platform.machine()}, {os.cpu_count()} cores shared by server, "
        f"database and load, Python {platform.python_version()}, PostgreSQL {version()}; {sizes};\n"
        f"{options.rounds} rounds of {options.seconds} s, {options.connections} connections. "
        "Microseconds of processor time for a request.\n\n"
        "| endpoint | requests/s | p50 ms | p99 ms | server | database | bare response | pgbench "
        "| times the floors |\n|---|---|---|---|---|---|---|---|---|"
    )
    for endpoint in options.endpoints:
        server, database = median(endpoint, "server"), median(endpoint, "database")
        pgbench = statistics.median(floors[endpoint])
        cells = [
            endpoint,
            f"{median(endpoint, 'rate'):,.0f}",
            *(f"{median(endpoint, name) / 1000:.1f}" for name in ("p50", "p99")),
            *(f"{cost:.0f}" for cost in (server, database, bare, pgbench)),
            f"{(server + database) / (bare + pgbench):.1f}",
        ]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
