"""What each endpoint costs, beside an empty response of the same gunicorn."""

import statistics

from bench import machine
from bench.server import Server


def run(bench, folder):
    with Server(folder) as web, Server(folder, "bench.bare") as bare:
        measured = bench.rounds({"web": web, "bare": bare})
    report(measured, bench.options)


def report(measured, options):
    print(
        f"{machine.description(options.skills)};\n{options.rounds} rounds of {options.seconds} s, "
        f"{options.connections} connections. Microseconds of processor time for a request.\n\n"
        "| endpoint | requests/s | p50 ms | p99 ms | server | database | empty response |\n"
        "|---|---|---|---|---|---|---|"
    )
    for endpoint in options.endpoints:

        def median(name, server="web", endpoint=endpoint):
            return statistics.median(getattr(row, name) for row in measured[endpoint, server])

        cells = [
            endpoint,
            f"{median('rate'):,.0f}",
            *(f"{median(name) / 1000:.1f}" for name in ("p50", "p99")),
            *(f"{median(name):.0f}" for name in ("server", "database")),
            f"{median('server', 'bare'):.0f}",
        ]
        print(f"| {' | '.join(cells)} |")
