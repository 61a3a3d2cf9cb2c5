"""If Redis cannot count, counted requests get a timely 503, and all others are served."""

import os
import signal
import statistics
import time
from contextlib import contextmanager

import pytest
from redis import Redis
from redis.exceptions import RedisError

from tests.factories import AgentFactory, SkillFactory
from tests.processes import is_within
from tests.redis import redis_server
from tests.system.load import ME, is_retriable

ROUNDS = 3
MAX_WAIT = 1  # seconds


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    with redis_server(tmp_path_factory.mktemp("redis")) as url, Redis.from_url(url) as redis:
        assert is_within(60, lambda: responds(redis))
        redis.url, redis.pid = url, redis.info()["process_id"]
        yield redis


def responds(redis):
    try:
        return redis.ping()
    except RedisError:
        return False


@contextmanager
def full(redis):
    redis.set("filler", "x" * 2_000_000)
    redis.config_set("maxmemory-policy", "noeviction")
    redis.config_set("maxmemory", "1mb")
    yield
    redis.config_set("maxmemory", "0")


@contextmanager
def frozen(redis):
    os.kill(redis.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(redis.pid, signal.SIGCONT)


@contextmanager
def read_only(redis):
    redis.replicaof("127.0.0.1", "1")
    yield
    redis.replicaof("NO", "ONE")


@pytest.mark.parametrize("fault", [full, frozen, read_only])
def test_counted_requests_get_a_503_in_time_and_others_are_served(live_server_of, redis, fault):
    agent, skills = AgentFactory(), SkillFactory.create_batch(ROUNDS + 2)
    server = live_server_of(CACHE_URL=redis.url)

    def install(number):
        body = {"slug": skills[number].slug}
        return server.request("POST", f"{ME}/skills/install", body, token=agent.token.text)

    assert install(ROUNDS).status == 201
    with fault(redis):
        waits = []
        for number in range(ROUNDS):
            begun = time.monotonic()
            response = install(number)
            waits.append(time.monotonic() - begun)
            assert (response.status, is_retriable(response)) == (503, True), response.body
            assert server.request("GET", "/api/v1/skills?limit=1").status == 200
        assert statistics.median(waits) < MAX_WAIT
    assert install(ROUNDS + 1).status == 201
