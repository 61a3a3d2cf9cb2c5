"""Where rate limits are counted: PostgreSQL, shared by all processes, or Redis"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from django.core.cache import cache
from django.utils import timezone

from marketplace.models import RateCount
from marketplace.ratelimits import windows
from tests.factories import AgentFactory
from tests.redis import redis_server

LIMITS = "/api/v1/agents/me/limits"
SKILL = "/api/v1/agents/me/skills/install"


def test_the_counter_counts_and_expires(db):
    assert cache.add("key", 1, 60) is True
    assert cache.add("key", 1, 60) is False
    assert cache.incr("key") == 2
    assert cache.add("key", 1, 60) is False
    assert cache.incr("key") == 3
    assert cache.get_many(["key", "other"]) == {"key": 3}

    RateCount.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert cache.get_many(["key"]) == {}
    assert cache.add("key", 1, 60) is True


def test_one_read_finds_the_counter_of_the_library(db):
    counted = windows.usage_of(None, "install", windows.Caller(7), increment=True)

    assert windows.usages_of(["install"], windows.Caller(7)) == [counted], (
        "django-ratelimit names its counters or ends its windows in another way: see `counter_of`"
    )


def test_incr_belongs_to_a_refused_add(db):
    with pytest.raises(ValueError, match="add"):
        cache.incr("never-added")


def test_expired_counts_are_purged(db, monkeypatch):
    monkeypatch.setattr("marketplace.ratelimits.counters.PURGE_ONE_IN", 1)
    past = timezone.now() - timedelta(seconds=1)
    RateCount.objects.create(key=UUID(int=5), count=5, expires_at=past)

    cache.add("new", 1, 60)

    assert RateCount.objects.get().count == 1


@pytest.mark.contract("11.8")
def test_all_threads_and_processes_share_one_limit(live_server_of, fresh_counts):
    """Two worker processes of four threads each, sixteen clients, sixty calls."""
    agent = AgentFactory()
    server = live_server_of(RATE_LIMIT_INSTALL="20/h", WEB_CONCURRENCY="2")

    with ThreadPoolExecutor(16) as pool:
        statuses = list(
            pool.map(
                lambda _: (
                    server.request("POST", SKILL, {"slug": "no"}, token=agent.token.text).status
                ),
                range(60),
            )
        )

    assert sorted(statuses) == [404] * 20 + [429] * 40


@pytest.fixture
def redis_url(tmp_path):
    with redis_server(tmp_path) as url:
        yield url


@pytest.mark.contract("11.8", "24.6")
@pytest.mark.slow
def test_redis_may_count_instead_and_its_absence_is_a_503(live_server_of, redis_url):
    agent = AgentFactory()
    server = live_server_of(RATE_LIMIT_INSTALL="20/h", CACHE_URL=redis_url, WEB_CONCURRENCY="2")
    away = live_server_of(CACHE_URL="redis://127.0.0.1:1/0")

    def install(server):
        return server.request("POST", SKILL, {"slug": "no"}, token=agent.token.text)

    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda _: install(server).status, range(60)))
    [limit, *_] = server.request("GET", LIMITS, token=agent.token.text).json()["limits"]
    refused = install(away)

    assert sorted(statuses) == [404] * 20 + [429] * 40
    assert not RateCount.objects.filter(count__gt=0).exists()
    assert (limit["policy"], limit["remaining"]) == ("install", 0)
    assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
    assert away.request("GET", "/api/v1/skills").status == 200
