"""Edges take the load of reading: nginx caches what EDGE_SECONDS allows, and nothing else."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from catalogue.models import Skill
from tests.factories import AgentFactory, SkillFactory
from tests.nginx import Edge
from tests.processes import is_within
from tests.system.scale import LONG, scale

pytestmark = pytest.mark.slow

SLUGS = scale(short=300, long=10_000)
READS = 10 * SLUGS  # to warm the cache, and then to measure
CLIENTS = 4
BATCH = 1_000
# The cache responds, and at most requests a newer response from the server afterwards.
FROM_THE_CACHE = {"HIT", "STALE", "UPDATING"}
SECONDS = 1
OLDEST = SECONDS + 10 * SECONDS  # s-maxage and stale-while-revalidate


@pytest.fixture
def edge_of(live_server_of, tmp_path):
    """`edge_of(seconds)`: an edge in front of a server with these EDGE_SECONDS."""
    with ExitStack() as edges:

        def edge_of(seconds):
            server = live_server_of(EDGE_SECONDS=str(seconds))
            return edges.enter_context(Edge(tmp_path / "edge", server.port))

        yield edge_of


def read(edge, numbers):
    """Read the skills of these numbers on one connection; counts X-Cache."""
    link, seen = edge.connection(), Counter()
    for number in numbers:
        link.request("GET", f"/api/v1/skills/skill-of-edge-{number}")
        response = link.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
        seen[response.headers["X-Cache"]] += 1
    link.close()
    return seen


def read_by_zipf(edge):
    """Zipf's law: the k-th most popular skill is read in proportion to 1/k."""
    numbers = range(1, SLUGS + 1)
    picked = random.choices(numbers, [1 / number for number in numbers], k=READS)
    with ThreadPoolExecutor(CLIENTS) as pool:
        parts = [picked[first::CLIENTS] for first in range(CLIENTS)]
        return sum(pool.map(lambda part: read(edge, part), parts), Counter())


def test_a_warm_edge_takes_most_reads_from_its_cache(edge_of):
    skills = [SkillFactory.build(slug=f"skill-of-edge-{n}") for n in range(1, SLUGS + 1)]
    Skill.objects.bulk_create(skills, batch_size=BATCH)
    edge = edge_of(60)
    cold = read_by_zipf(edge)
    begun = time.monotonic()
    warm = read_by_zipf(edge)
    share = sum(warm[status] for status in FROM_THE_CACHE) / READS

    print(  # noqa: T201
        f"\n{SLUGS} skills, {READS} reads cold: {dict(cold)}; as many warm: {dict(warm)}, "
        f"{share:.1%} from the cache, {READS / (time.monotonic() - begun):.0f} a second"
    )
    assert share >= 0.95


def title_of(edge, slug):
    return edge.request("GET", f"/api/v1/skills/{slug}").json()["title"]


def test_an_edit_is_seen_while_the_entry_is_read(edge_of):
    SkillFactory(slug="pdf", title="Old")
    edge = edge_of(SECONDS)
    assert title_of(edge, "pdf") == "Old"
    Skill.objects.update(title="New")
    edited = time.monotonic()

    assert is_within(OLDEST, lambda: title_of(edge, "pdf") == "New")
    print(f"\nseen after {time.monotonic() - edited:.2f} s")  # noqa: T201
    assert title_of(edge, "pdf") == "New"


@pytest.mark.skipif(not LONG, reason="it waits for stale-while-revalidate to end")
def test_an_entry_that_nobody_reads_is_not_served_when_it_is_too_old(edge_of):
    SkillFactory(slug="pdf", title="Old")
    edge = edge_of(SECONDS)
    assert title_of(edge, "pdf") == "Old"
    Skill.objects.update(title="New")
    time.sleep(OLDEST + 1)

    assert title_of(edge, "pdf") == "New"


def test_nothing_private_is_stored(edge_of):
    SkillFactory(slug="pdf")
    agent = AgentFactory(name="Known to nobody")
    edge, token = edge_of(60), agent.token.text
    for _ in range(2):
        for path, with_token in [
            *(("/api/v1/agents/me", token), ("/api/v1/agents/me", None)),
            *(("/api/v1/skills/pdf", token), ("/skills/pdf", token)),
            *(("/api/v1/skills/none", None), ("/api/v1/skills?limit=0", None), ("/none", None)),
            *(("/claim/none", None), ("/admin/login/", None), ("/healthz", None)),
        ]:
            assert edge.request("GET", path, token=with_token).headers["X-Cache"] == "MISS"
    assert edge.stored() == set()

    for status in ("MISS", "HIT"):
        assert edge.request("GET", "/api/v1/skills/pdf").headers["X-Cache"] == status
    # The Host is part of the URL, because the links of a list contain it.
    other = edge.request("GET", "/api/v1/skills/pdf", headers={"Host": "localhost"})
    assert other.headers["X-Cache"] == "MISS"
    urls = {f"http://{host}/api/v1/skills/pdf" for host in (f"127.0.0.1:{edge.port}", "localhost")}
    assert is_within(60, lambda: edge.stored() == urls)  # nginx stores after it has responded
