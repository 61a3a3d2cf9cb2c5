"""How long the server takes for each kind of request, at 1k, 10k, 100k and 1M skills.

python -m bench.scale [SKILLS ...]     (make bench-scale)

Fills a database of its own in .demo/scale (or the one of DATABASE_URL) with seed_scale, step by
step, and prints a table: milliseconds of the whole request in this process, without a network, and
in brackets those of them that were spent on the database; the best of 25, because whatever else
runs on the machine only ever adds.
"""

import os
import sys
import time

import django

from demo.postgres import CHECKOUT, database

SIZES = [1000, 10_000, 100_000, 1_000_000]
REPEATS = 25
API = "/api/v1"


def main(sizes):
    os.environ.setdefault("SECRET_KEY", "of a database that holds nothing but measurements")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")
    os.environ["REQUIRE_HTTPS"] = "false"
    for policy in ("INSTALL", "REVIEW"):
        os.environ[f"RATE_LIMIT_{policy}"] = "1000000/h"
    with database(CHECKOUT / ".demo" / "scale"):
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        columns = {}
        for size in sizes:
            call_command(
                "seed_scale", skills=size, personas=size // 10, agents=size, installs=size * 10
            )
            columns[size] = measure()
            show(columns)


def measure():
    """The milliseconds of each kind of request: {name: (whole, database)}."""
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from marketplace.http_cache.store import cached_responses  # noqa: PLC0415

    spent = []

    def timed(execute, *arguments):
        begun = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.append(time.perf_counter() - begun)

    measured = {}
    client = Client(headers={"host": "localhost"})
    for name, calls in requests().items():
        wholes, databases = [], []
        for method, path, options in calls:
            spent.clear()
            cached_responses.clear()  # what a request costs that was not asked before
            begun = time.perf_counter()
            with connection.execute_wrapper(timed):
                answer = getattr(client, method)(f"{API}{path}", **options)
            wholes.append(time.perf_counter() - begun)
            databases.append(sum(spent))
            assert answer.status_code < 300, (path, answer.content)
        measured[name] = (1000 * min(wholes), 1000 * min(databases))
    return measured


def requests():
    """Each kind of request with the calls that are measured: {name: [(method, path, options)]}."""
    from agents.models import Agent, AgentToken  # noqa: PLC0415
    from catalogue.models import FacetCount, Persona, Skill  # noqa: PLC0415

    skills = list(Skill.objects.order_by("-id").values_list("slug", flat=True)[:REPEATS])
    personas = list(
        Persona.objects.filter(price_cents=0)
        .exclude(agent_installs__agent__handle="scale-1")
        .order_by("-id")
        .values_list("slug", flat=True)[:REPEATS]
    )
    token = AgentToken.objects.issue(Agent.objects.get(handle="scale-1")).text
    Agent.objects.get(handle="scale-1").skill_installs.filter(skill__slug__in=skills).delete()
    words = FacetCount.objects.filter(kind="skill", facet="word").order_by("-entries")
    rare = words.filter(entries__lte=3).values_list("value", flat=True)[0]
    # Every slug and every tag of this database begin alike.
    real = words.exclude(value__in=["scale", "tag"])
    common, second = real.values_list("value", flat=True)[:2]

    def get(path):
        return [("get", path, {})] * REPEATS

    def post(path, key, slugs, **more):
        return [
            (
                "post",
                path,
                {
                    "data": {key: slug, **more},
                    "content_type": "application/json",
                    "headers": {"authorization": f"Bearer {token}", "host": "localhost"},
                },
            )
            for slug in slugs
        ]

    profile = {"headers": {"authorization": f"Bearer {token}", "host": "localhost"}}
    return {
        **{
            f"{kind} by {sort}": get(f"/{kind}?sort={sort}")
            for kind, sorts in (
                ("skills", ["downloads", "newest", "updated", "name"]),
                ("personas", ["installs", "rating", "price"]),
            )
            for sort in sorts
        },
        "a middle page, by newest": get(middle("newest", "created_at")),
        "a middle page, by downloads": get(middle("downloads", "downloads")),
        "of a category": get("/skills?category=category-3"),
        "of a tag": get("/skills?tag=tag-20"),
        "of a runtime": get("/skills?runtime=runtime-3"),
        "of an author": get("/skills?author=author-20"),
        "of a category and a tag": get("/skills?category=category-3&tag=tag-20"),
        "search: a rare word": get(f"/skills?q={rare}"),
        "search: a common word": get(f"/skills?q={common}"),
        "search: two common words": get(f"/skills?q={common}+{second}"),
        "search: a common word by downloads": get(f"/skills?q={common}&sort=downloads"),
        "search: a common word of a category": get(f"/skills?q={common}&category=category-3"),
        "search: a mistyped word": get(f"/skills?q={common[:-1]}q"),
        "a skill": get(f"/skills/{skills[0]}"),
        "the profile": [("get", "/agents/me", profile)] * REPEATS,
        "a skill install": post("/agents/me/skills/install", "slug", skills),
        "a persona install": post("/agents/me/personas/install", "slug", personas),
        "a review": post("/agents/me/reviews", "personaSlug", personas, rating=4),
    }


def middle(sort, key):
    """The path of the page that begins in the middle of a list."""
    from django.test import RequestFactory  # noqa: PLC0415

    from catalogue.filters import SkillFilterSet  # noqa: PLC0415
    from catalogue.models import Skill  # noqa: PLC0415
    from marketplace.api.pagination import KeysetPagination  # noqa: PLC0415

    paginator = KeysetPagination()
    request = RequestFactory().get(f"{API}/skills", headers={"host": "localhost"})
    paginator.paginate_queryset(SkillFilterSet({"sort": [sort]}), request)
    row = Skill.objects.order_by(f"-{key}", "-id")[paginator.rows.count // 2]
    row.sort_key = getattr(row, key)
    paginator.page = [row]
    return paginator.get_next_link().partition(API)[2]


def show(columns):
    """The table, in Markdown."""
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
