"""Connections: many that are idle, slow, broken off or kept beyond a stop, and few threads."""

import os
import re
import signal
import socket
import struct
import time
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.factories import SkillFactory
from tests.live import LiveServer
from tests.processes import is_within

pytestmark = pytest.mark.django_db(transaction=True)

GET = b"GET /api/v1/skills HTTP/1.1\r\nHost: localhost\r\n\r\n"
THREADS = 2
REGISTER = (
    b"POST /api/v1/agents/register HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
)


@pytest.fixture
def server(tmp_path):
    """`server(options)`: one process of two threads, with these options of gunicorn's."""
    servers = []

    def start(options="", **more):
        environment = {
            "WEB_CONCURRENCY": "1",
            "WEB_THREADS": str(THREADS),
            "RATE_LIMIT_REGISTER": "1000/h",
            "GUNICORN_CMD_ARGS": options,
        }
        servers.append(LiveServer(tmp_path / "log", environment, **more))
        servers[0].start()
        return servers[0]

    yield start
    for server in servers:
        server.stop()


def read_answers(link, number):
    """The statuses of the next answers, and whether the last says that it is the last."""
    received, statuses = b"", []
    while len(statuses) < number:
        received += link.recv(65536)
        while match := re.match(
            rb"HTTP/1.1 (\d+) .*?Content-Length: (\d+)\r\n.*?\r\n\r\n", received, re.DOTALL
        ):
            end = match.end() + int(match[2])
            if len(received) < end:
                break
            statuses.append(int(match[1]))
            is_last = b"Connection: close" in match[0]
            received = received[end:]
    assert received == b""
    return statuses, is_last


def answers_to(link, data, number=1):
    link.sendall(data)
    return read_answers(link, number)


def test_any_number_of_connections_may_be_idle(server):
    server = server()
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(50)]

        for _ in range(3):
            for link in links[::2]:
                assert answers_to(link, GET) == ([200], False)
        assert server.request("GET", "/api/v1/skills").status == 200


def test_a_request_that_comes_bit_by_bit_is_answered(server):
    server = server()
    with server.connect() as link:
        for start in range(0, len(GET), 8):
            link.sendall(GET[start : start + 8])
        assert read_answers(link, 1) == ([200], False)


def test_requests_that_come_together_are_answered_in_their_order(server):
    SkillFactory(slug="pdf")
    gone = GET.replace(b"skills", b"skills/none")
    server = server()
    with server.connect() as link:
        together = GET + gone + REGISTER + b"{}" + GET + gone

        assert answers_to(link, together, 5) == ([200, 404, 201, 200, 404], False)
        assert answers_to(link, GET) == ([200], False)


def test_a_connection_that_is_idle_too_long_is_closed_used_or_not(server):
    server = server("--keep-alive 1 --worker-connections 4")
    for _ in range(3):
        with server.connect() as used, server.connect() as unused:
            assert answers_to(used, GET) == ([200], False)

            assert used.recv(1) == b""
            assert unused.recv(1) == b""
    assert server.request("GET", "/api/v1/skills").status == 200


def test_of_many_connections_some_are_not_kept(server):
    server = server(f"--worker-connections {THREADS + 3}")
    with ExitStack() as open_links:
        for _ in range(3):
            link = open_links.enter_context(server.connect())
            assert answers_to(link, GET) == ([200], False)
        last = open_links.enter_context(server.connect())

        # As soon as the other three are idle again.
        assert is_within(5, lambda: answers_to(last, GET) == ([200], True))
        assert server.request("GET", "/api/v1/skills").status == 200


def test_who_finds_no_room_waits_for_another_to_go(server):
    server = server(f"--worker-connections {THREADS + 1}")
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(THREADS + 1)]
        late = open_links.enter_context(server.connect())
        late.sendall(GET)
        late.settimeout(1.5)
        with pytest.raises(TimeoutError):
            late.recv(1)

        links[0].close()

        late.settimeout(10)
        assert read_answers(late, 1)[0] == [200]


def test_clients_that_break_off_leave_all_threads_at_work(server):
    server = server()
    for sent in (b"", GET[:20], GET, REGISTER, REGISTER + b"{"):
        with asleep(server):
            for _ in range(100):
                break_off(server, sent)
        for _ in range(100):
            break_off(server, sent)

    assert_all_threads_work(server)
    log = server.log.read_text()
    assert log.count("Booting worker") == 1
    assert "Traceback" not in log


def break_off(server, sent):
    """Connect, send, and reset the connection without a farewell."""
    link = server.connect()
    link.sendall(sent)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()


@contextmanager
def asleep(server):
    """What comes meanwhile waits in the backlog; all of it is accepted at once."""
    pid = server.process.pid
    [worker] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(worker), signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(int(worker), signal.SIGCONT)


@pytest.mark.parametrize(
    ("path", "is_replaced"), [("/fails-in-the-middle", False), ("/exits", True)]
)
def test_an_application_that_breaks_leaves_no_worker_without_threads(server, path, is_replaced):
    server = server(application="tests.broken")
    for _ in range(THREADS * 2):
        with suppress(OSError, HTTPException):
            server.request("GET", path)

    assert is_within(10, lambda: is_answering(server))
    assert (server.log.read_text().count("Booting worker") > 1) == is_replaced


def is_answering(server):
    try:
        return server.request("GET", "/").status == 200
    except OSError:
        return False


def assert_all_threads_work(server):
    """Each of them is busy with a body that does not come to its end, until it does."""
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(THREADS)]
        for link in links:
            link.sendall(REGISTER + b"{")
        for link in links:
            assert answers_to(link, b"}") == ([201], False)


def test_a_stop_answers_what_has_been_asked_and_closes_what_is_idle(server):
    server = server()
    with server.connect() as idle, server.connect() as asking, server.connect() as late:
        assert answers_to(idle, GET) == ([200], False)
        assert answers_to(late, GET) == ([200], False)
        asking.sendall(REGISTER + b"{")
        assert is_within(5, lambda: has_been_read(asking))
        server.process.send_signal(signal.SIGTERM)
        assert is_within(5, lambda: "Handling signal: term" in server.log.read_text())

        assert answers_to(late, GET) == ([200], True)
        assert answers_to(asking, b"}")[0] == [201]
        assert idle.recv(1) == b""
        assert asking.recv(1) == b""
    assert server.process.wait(30) == 0


@pytest.mark.parametrize(
    ("options", "sign"),
    [
        ("", signal.SIGTERM),
        ("", signal.SIGHUP),
        ("--keep-alive 1", None),
    ],
)
def test_a_request_that_finds_all_threads_busy_is_answered_in_the_end(server, options, sign):
    server = server(options)
    with ExitStack() as open_links:
        kept, fresh, *busy = [
            open_links.enter_context(server.connect()) for _ in range(2 + THREADS)
        ]
        assert answers_to(kept, GET) == ([200], False)
        for link in busy:
            link.sendall(REGISTER + b"{")
            assert is_within(5, lambda link=link: has_been_read(link))
        kept.sendall(GET)
        fresh.sendall(GET)
        if sign:
            server.process.send_signal(sign)
        time.sleep(3.5)  # longer than an idle connection has

        for link in busy:
            assert answers_to(link, b"}")[0] == [201]
        for link in (kept, fresh):
            assert read_answers(link, 1)[0] == [200]


def test_a_new_connection_has_time_for_its_first_request(server):
    server = server("--keep-alive 0")
    with server.connect() as slow:
        for _ in range(3):
            assert server.request("GET", "/healthz").status == 200
            time.sleep(0.5)

        assert answers_to(slow, GET) == ([200], True)


def has_been_read(link):
    """Whether the server has read all that was sent to it."""
    local, remote = link.getsockname(), link.getpeername()
    for line in Path("/proc/net/tcp").read_text().splitlines():
        fields = line.split()
        if fields[1].endswith(f":{remote[1]:04X}") and fields[2].endswith(f":{local[1]:04X}"):
            return int(fields[4].partition(":")[2], 16) == 0
    return False


def test_a_worker_that_has_answered_its_share_is_followed_by_another(server):
    server = server("--max-requests 20 --max-requests-jitter 0")
    for _ in range(60):
        assert server.request("GET", "/api/v1/skills").status == 200

    assert is_within(5, lambda: server.log.read_text().count("Booting worker") >= 3)
