"""Reloads drop nothing: a HUP reloads gunicorn under load without one failed request."""

import http.client
import json
import random
import re
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.models import Agent
from tests.factories import SkillFactory
from tests.processes import is_within
from tests.sockets import has_been_accepted
from tests.system.scale import scale

pytestmark = pytest.mark.slow

RELOADS = scale(short=1, long=10)
WORKERS = 2
BROWSE = ("GET", "/api/v1/skills", None, 200)
REGISTER = ("POST", "/api/v1/agents/register", json.dumps({"name": "Newcomer"}), 201)
JSON = {"Content-Type": "application/json"}


class RequestLoop:
    """Sends requests one after another until it is told to stop.

    A client that `keeps` its connection repeats a GET once on a new connection if it finds the
    old one closed, as HTTP allows (RFC 9110, 9.2.2), and never a POST.
    """

    def __init__(self, port, *, keeps, requests, pause):
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.keeps, self.requests, self.pause = keeps, requests, pause
        self.seen, self.failures, self.slowest = Counter(), [], 0

    def work(self, stopped):
        while not stopped.is_set():
            request = random.choice(self.requests)
            begun = time.monotonic()
            try:
                status = self.send(request)
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
                self.link.close()
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self.seen[request[0]] += 1
            if status != request[3]:
                self.failures.append(f"{'kept' if self.keeps else 'fresh'} {request}: {status}")
            if not self.keeps:
                self.link.close()
            time.sleep(random.uniform(*self.pause))
        self.link.close()

    def send(self, request):
        is_reused = self.link.sock is not None
        self.seen["on a kept connection"] += is_reused
        try:
            return self.exchange(request)
        except ConnectionError:
            if not is_reused or request[0] != "GET":
                raise
        self.link.close()
        self.seen["repeated"] += 1
        return self.exchange(request)

    def exchange(self, request):
        method, path, body, _ = request
        self.link.request(method, path, body, JSON)
        response = self.link.getresponse()
        response.read()
        return response.status


def clients(port):
    busy = {"requests": [BROWSE, REGISTER], "pause": (0, 0.2)}
    return [
        *(RequestLoop(port, keeps=True, **busy) for _ in range(5)),
        *(RequestLoop(port, keeps=False, **busy) for _ in range(5)),
        # Longer than a stopping worker waits for the next request on a kept connection.
        *(RequestLoop(port, keeps=True, requests=[BROWSE], pause=(2.5, 4)) for _ in range(2)),
    ]


def reload(server):
    """HUP the master while a request is half sent; returns the status of that request."""
    log = server.log.read_text()
    body = REGISTER[2].encode()
    slow = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    slow.putrequest("POST", REGISTER[1])
    slow.putheader("Content-Type", "application/json")
    slow.putheader("Content-Length", str(len(body)))
    slow.endheaders(body[:5])
    assert is_within(30, lambda: has_been_accepted(slow.sock))
    server.process.send_signal(signal.SIGHUP)
    time.sleep(1)
    slow.send(body[5:])
    status = slow.getresponse().status
    slow.close()
    # The old workers are gone and the new ones ready before the next reload.
    for event in (r"Booting worker", r"Worker exiting"):
        expected = len(re.findall(event, log)) + WORKERS
        assert is_within(
            30, lambda e=event, w=expected: len(re.findall(e, server.log.read_text())) >= w
        ), server.log.read_text()[-3000:]
    return status


def sent_by(client):
    return client.seen["GET"] + client.seen["POST"]


def wait_until_each_has_sent_a_request(senders):
    """Each has sent one more request; the clients with long pauses are the last."""
    before = [sent_by(client) for client in senders]
    assert is_within(
        60,
        lambda: (
            all(sent_by(client) > number for client, number in zip(senders, before, strict=True))
            and sum(client.seen["on a kept connection"] for client in senders) > 10 * RELOADS
        ),
    )


@pytest.mark.contract("24.11")
def test_reloads_under_load_fail_no_request(own_server_of):
    SkillFactory.create_batch(20)
    server = own_server_of(RATE_LIMIT_REGISTER="1000000/h", WEB_CONCURRENCY=str(WORKERS))
    senders, stopped, slow_ones = clients(server.port), threading.Event(), []
    with ThreadPoolExecutor(len(senders)) as pool:
        working = [pool.submit(client.work, stopped) for client in senders]
        try:
            for _ in range(RELOADS):
                time.sleep(1)
                slow_ones.append(reload(server))
            time.sleep(1)
            wait_until_each_has_sent_a_request(senders)
        finally:
            stopped.set()
    for thread in working:
        thread.result()

    seen = sum((client.seen for client in senders), Counter())
    failures = [failure for client in senders for failure in client.failures]
    print(  # noqa: T201
        f"\n{RELOADS} reloads: {seen['GET'] + seen['POST']} requests, {seen['POST']} of them POST, "
        f"{seen['on a kept connection']} on a kept connection; {len(failures)} failed, "
        f"{seen['repeated']} GETs repeated after an idle connection was closed; "
        f"slowest {max(client.slowest for client in senders):.2f} s"
    )
    assert failures == []
    assert slow_ones == [201] * RELOADS
    # Each POST was carried out once: none was lost or done twice.
    assert Agent.objects.count() == seen["POST"] + RELOADS
    assert seen["on a kept connection"] > 10 * RELOADS
