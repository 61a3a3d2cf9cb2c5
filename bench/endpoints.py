"""What each endpoint costs, beside two floors."""

import statistics
import sys
from collections import defaultdict

from bench import machine
from bench.server import Server


def run(bench, folder):
    with Server(folder) as server, Server(folder, "bench.bare") as bare:
        measurements, floors = measure(bench, server, bare)
    report(measurements, floors, bench.options)


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
            floors[endpoint].append(bench.pgbench(endpoint))
    return measurements, floors


def report(measurements, floors, options):
    def median(endpoint, name):
        return statistics.median(getattr(measured, name) for measured in measurements[endpoint])

    bare = median("bare", "server")
    print(
        f"{machine.description()};\n{options.rounds} rounds of {options.seconds} s, "
        f"{options.connections} connections. Microseconds of processor time for a request.\n\n"
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
