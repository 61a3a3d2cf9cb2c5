"""What each part of the infrastructure buys: the server with and without it, in turns."""

import statistics
from contextlib import ExitStack
from typing import NamedTuple

from bench import machine
from bench.server import Server

GTHREAD, NO_CACHE, UNPREPARED, PLAIN = (
    "WORKER_CLASS=gthread",
    "CACHE_BYTES=0",
    "PREPARED_STATEMENTS=false",
    "PLAIN=1",
)
FULL = ""
AGAIN = "SAME=1"  # Nothing reads it: a second server with all parts on shows the noise.


class Part(NamedTuple):
    """A part that the variables of `off` switch off. Its peer is a server with those of `on`."""

    name: str
    off: str
    on: str = FULL

    @property
    def title(self):
        return f"{self.name}: `{self.off}`" + (f" against `{self.on}`" if self.on else "")


PARTS = [
    Part("nothing, which is the noise", AGAIN),
    Part("`server`", GTHREAD),
    Part("`http_cache`", NO_CACHE),
    Part("prepared statements", UNPREPARED),
    Part("`db`", PLAIN, on=f"{GTHREAD} {NO_CACHE}"),
    Part("everything", PLAIN),
]


def run(bench, folder):
    variants = dict.fromkeys(variables for part in PARTS for variables in (part.on, part.off))
    with ExitStack() as stack:
        servers = {
            variables: stack.enter_context(Server(folder, variables=variables))
            for variables in variants
        }
        measured = bench.rounds(servers)
    costs = {key: [row.cost for row in rows] for key, rows in measured.items()}
    report(costs, bench.options)


def report(costs, options):
    """`costs` is `{(endpoint, variables): [microseconds of server and database]}`, by round."""
    print(
        f"{machine.description(options.skills)};\n{options.rounds} rounds of {options.seconds} s, "
        f"{options.connections} connections. How many more microseconds of processor time a "
        "request takes in server and database with the part off, and the ratio in brackets.\n\n"
        f"| part | {' | '.join(options.endpoints)} |\n"
        f"|---|{'---|' * len(options.endpoints)}"
    )
    full = [f"{statistics.median(costs[endpoint, FULL]):.0f}" for endpoint in options.endpoints]
    print(f"| all on | {' | '.join(full)} |")
    for part in PARTS:
        cells = [
            difference(costs[endpoint, part.off], costs[endpoint, part.on])
            for endpoint in options.endpoints
        ]
        print(f"| {part.title} | {' | '.join(cells)} |")


def difference(off, on):
    """The median difference and ratio over the rounds, as `+120 (1.40)`."""
    pairs = [*zip(off, on, strict=True)]
    more = statistics.median(without - having for without, having in pairs)
    times = statistics.median(without / having for without, having in pairs)
    return f"{more:+.0f} ({times:.2f})"
