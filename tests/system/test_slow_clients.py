"""Slow clients hold no thread: others are served meanwhile, and slow ones are cut off in time."""

import random
import select
import socket
import time

import pytest

from infrastructure.server.worker import MAX_UNSENT
from tests.factories import SkillFactory
from tests.processes import workers_of
from tests.system.scale import LONG, scale
from tests.system.workers import Readers

pytestmark = pytest.mark.slow  # deployment/test_slow_requests.py tests each kind alone

SLOW = scale(short=5, long=200)  # clients of each kind
SECONDS = scale(short=4, long=60)
TIMEOUT = scale(short=2, long=15)
WORKERS = 2
LATE = 3  # seconds within which a client must be cut off once its time is over
GET = b"GET /api/v1/skills?limit=100 HTTP/1.1\r\nHost: localhost\r\n"
FILE = (
    b"GET /static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js HTTP/1.1\r\n"
    b"Host: localhost\r\n\r\n"
)
LAST = b"GET /api/v1/skills?limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
POST = (
    b"POST /api/v1/agents/register HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
)
UPLOAD = POST.replace(b"60000", b"99999999")
CHUNKED = POST.replace(b"Content-Length: 60000", b"Transfer-Encoding: chunked") + b"f000\r\n"


class SlowClient:
    """Sends `first`, then a byte of `rest` each second; reads only the server's last bytes."""

    def __init__(self, first, rest=b"", *, is_deaf=False):
        self.first, self.rest, self.is_deaf = first, rest, is_deaf

    def connect(self, port):
        self.link = socket.socket()
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        # As on a network: the kernel accepts megabytes of loopback's long segments.
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1220)
        # From an address of its own, because the kernel accepts more for one that it knows as fast.
        self.link.bind((f"127.{random.randrange(1, 255)}.{random.randrange(256)}.1", 0))
        self.link.connect(("127.0.0.1", port))
        self.link.settimeout(0)
        self.sent = self.link.send(self.first)
        self.begun, self.ended, self.received = time.monotonic(), None, b""

    def go_on(self):
        if self.ended:
            return
        poll = select.poll()
        poll.register(self.link, select.POLLIN | select.POLLRDHUP)
        events = dict(poll.poll(0)).get(self.link.fileno(), 0)
        try:
            if events & select.POLLIN and not self.is_deaf:
                self.received += self.link.recv(65536)
            if self.rest:
                self.link.send(self.rest[:1])
                self.rest = self.rest[1:]
        except OSError:
            events |= select.POLLHUP
        if events & (select.POLLRDHUP | select.POLLHUP | select.POLLERR):
            self.ended = time.monotonic() - self.begun


KINDS = {
    "slow heads": lambda: SlowClient(GET[:1], GET[1:] + b"X: " + b"x" * 500),
    "slow bodies": lambda: SlowClient(POST, b"x" * 500),
    "one byte, then silence": lambda: SlowClient(b"G"),
    "half a body, then silence": lambda: SlowClient(POST + b"x" * 30000),
    "never reading": lambda: SlowClient((GET + b"\r\n") * 100, is_deaf=True),
    "never reading a file": lambda: SlowClient(FILE, is_deaf=True),
    "never closing": lambda: SlowClient(LAST),
    "slow uploads": lambda: SlowClient(UPLOAD, b"x" * 500),
    "slow chunks": lambda: SlowClient(CHUNKED, b"x" * 500),
}
# A thread is serving these, so they have longer.
PIECEMEAL = {"slow uploads", "slow chunks"}


def read_beside(server, slow):
    """The readers of a list, meanwhile."""
    try:
        for client in slow:
            client.connect(server.port)
        with Readers(server, ["/api/v1/skills"], pause=0.04) as others:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                for client in slow:
                    client.go_on()
                time.sleep(1)
    finally:
        for client in slow:
            client.link.close()
    return others


@pytest.mark.contract("24.8")
@pytest.mark.parametrize("kinds", scale(short=[[*KINDS]], long=[[kind] for kind in KINDS]))
def test_slow_clients_hold_no_thread(own_server_of, kinds):
    SkillFactory.create_batch(100, description="word " * 200)
    server = own_server_of(REQUEST_TIMEOUT=str(TIMEOUT), WEB_CONCURRENCY=str(WORKERS))
    with Readers(server, ["/api/v1/skills"]):
        time.sleep(1)
    memory = memory_of(server)

    slow = [KINDS[kind]() for kind in kinds for _ in range(SLOW)]
    must_end = [
        client for number, client in enumerate(slow) if kinds[number // SLOW] not in PIECEMEAL
    ]
    others = read_beside(server, slow)

    others.seconds.sort()
    p99 = others.seconds[int(len(others.seconds) * 0.99)]
    ended = [client.ended for client in must_end if client.ended]
    growth = memory_of(server) - memory
    print(  # noqa: T201
        f"\n{', '.join(kinds)}: {len(others.seconds)} other requests, p99 {p99 * 1000:.0f} ms; "
        f"{len(ended)} of {len(must_end)} cut off after {max(ended, default=0):.1f} s at most; "
        f"memory {growth / 1024:+.0f} MiB"
    )
    assert others.failures == []
    assert others.seconds[-1] < TIMEOUT / 2
    if LONG:
        assert p99 < 0.1
        assert growth < WORKERS * MAX_UNSENT / 1024
    assert len(ended) == len(must_end)
    # Its own kernel may accept something after the first check, so that a second one follows.
    assert max(ended, default=0) < 2 * TIMEOUT + LATE


def memory_of(server):
    """KiB of the workers."""
    return sum(worker.memory_info().rss for worker in workers_of(server)) // 1024
