"""Shared by the tests of races: rounds of concurrent requests, and their outcomes."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle, islice
from threading import Barrier

from tests.system.scale import UNLIMITED, scale

ROUNDS = scale(short=3, long=200)
CONCURRENCY = (16, 32, 48)  # concurrent requests, in turn
ME = "/api/v1/agents/me"
CONFIRM = f"{ME}/confirm-claim"
# Without timeouts: where many requests take turns at one lock, the last one may wait for more than
# two seconds on a busy machine.
LIMITS = UNLIMITED | {"WEB_CONCURRENCY": "2", "DATABASE_TIMEOUTS": "none"}


def rounds(number=ROUNDS):
    """The number of concurrent requests in each round."""
    return islice(cycle(CONCURRENCY), number)


def concurrently_on(server):
    """Send requests concurrently; returns the responses in order."""

    def sending(request):
        method, path, body, agent = request
        return partial(server.request, method, path, body, token=agent and agent.token.text)

    return lambda requests: in_parallel([sending(request) for request in requests])


def in_parallel(calls):
    """Make calls that send a request each; returns the responses in order."""
    barrier = Barrier(len(calls))

    def send(call):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        responses = list(pool.map(send, calls))
    assert all(response.status < 500 for response in responses), [a.body for a in responses]
    return responses


def confirming(server, agent, code):
    """A call with which an agent confirms a claim code."""
    return partial(server.request, "POST", CONFIRM, {"code": code}, token=agent.token.text)


def statuses(responses):
    return Counter(response.status for response in responses)


def wait_for(rows):
    """Wait for the first of them; the other requests are in flight then."""
    deadline = time.monotonic() + 60
    while not rows.exists() and time.monotonic() < deadline:
        time.sleep(0.0005)
