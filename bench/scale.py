"""How long the server takes for each kind of request, at 1k, 10k, 100k and 1M skills.

python -m bench.scale [SKILLS ...]     (make bench-scale)

Fills a database of its own in .demo/scale (or the one of DATABASE_URL) step by step, and prints a
table: milliseconds of the whole request in this process, without a network, and in brackets the
database's part. Each figure is the best of 25 requests, because other load only adds to it.
"""

import sys
import time

import django
from django.core.management import call_command
from django.db import connection
from django.test import Client

from bench.fill import fill
from bench.server import configure
from demo.postgres import CHECKOUT, database

SIZES = [1000, 10_000, 100_000, 1_000_000]


def main(sizes):
    configure()
    with database(CHECKOUT / ".demo" / "scale"):
        django.setup()
        from bench import scale_requests  # noqa: PLC0415 (it imports models)

        call_command("migrate", verbosity=0)
        columns = {}
        for size in sizes:
            fill(skills=size, personas=size // 10, agents=size, installs=size * 10)
            columns[size] = {
                name: best_of(requests) for name, requests in scale_requests.all_kinds().items()
            }
            show(columns)


def best_of(requests):
    """The milliseconds of the fastest request: (whole, database)."""
    client = Client(headers={"host": "localhost"})
    times = [time_of(client, *request) for request in requests]
    return tuple(1000 * min(seconds) for seconds in zip(*times, strict=True))


def time_of(client, method, path, options):
    """The seconds of a request whose response is not cached: (whole, database)."""
    from infrastructure.http_cache.store import cached_responses  # noqa: PLC0415 (reads settings)

    in_database = []

    def timed(execute, *arguments):
        begun = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            in_database.append(time.perf_counter() - begun)

    cached_responses.clear()
    begun = time.perf_counter()
    with connection.execute_wrapper(timed):
        response = getattr(client, method)(path, **options)
    whole = time.perf_counter() - begun
    assert response.status_code < 300, (path, response.content)
    return whole, sum(in_database)


def show(columns):
    """Print the table, in Markdown."""
    print("| milliseconds, of these in the database |", end="")
    print("".join(f" {size:,} skills |" for size in columns))
    print("|---|" + "---|" * len(columns))
    for name in next(iter(columns.values())):
        cells = "".join(
            f" {whole:.1f} ({database:.1f}) |"
            for whole, database in (column[name] for column in columns.values())
        )
        print(f"| {name} |{cells}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or SIZES)
