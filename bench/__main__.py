"""What a request costs, endpoint by endpoint: `make bench` (needs wrk: apt-get install wrk).

python -m bench [--plain] [--skills N] [--rounds N] [--seconds N] [--connections N] [ENDPOINT...]

Fills a database in .demo/bench-N once (--skills 1000000 takes an hour and some 20 GB; personas,
agents and installs grow alike), starts the Procfile's web line, and lets wrk drive each
endpoint. Rounds are interleaved, so that noise affects all alike, and medians are printed.
Processor time, of the processes of the server and of PostgreSQL, varies less than rates do. An
empty response of the same gunicorn is measured in the same rounds.

With --plain the same server takes turns with servers that have a part of the infrastructure
switched off, and the table says what each part buys.
"""

import argparse
import os
import shutil
import sys

import django
from django.core.management import call_command

from bench import endpoints, parts
from bench.fill import SIZES, fill
from bench.measure import ENDPOINTS, Bench
from bench.server import configure
from demo.postgres import CHECKOUT, Postgres


def main():
    options = read_options()
    if shutil.which("wrk") is None:
        sys.exit("This needs wrk: apt-get install wrk")
    folder = CHECKOUT / ".demo" / f"bench-{options.skills}"
    folder.mkdir(parents=True, exist_ok=True)
    with Postgres(folder / "postgres", alone=True) as postgres:
        os.environ["DATABASE_URL"] = postgres.url
        configure()
        django.setup()
        prepare(folder / "lists", sizes_of(options.skills))
        measured = parts if options.plain else endpoints
        measured.run(Bench(postgres, folder / "lists", options), folder)


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--skills", type=int, default=SIZES["skills"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("endpoints", nargs="*", metavar="ENDPOINT", default=ENDPOINTS)
    options = parser.parse_args()
    if unknown := set(options.endpoints) - set(ENDPOINTS):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(ENDPOINTS)}")
    return options


def sizes_of(skills):
    """How many rows of each kind there are beside so many skills."""
    times = skills / SIZES["skills"]
    return {name: round(size * times) for name, size in SIZES.items()} | {"versions": 1}


def prepare(folder, sizes):
    """Fill the database, and write what the load reads."""
    from bench import lists  # noqa: PLC0415 (it imports models)

    call_command("migrate", verbosity=0)
    fill(**sizes)
    lists.write(folder)


if __name__ == "__main__":
    main()
