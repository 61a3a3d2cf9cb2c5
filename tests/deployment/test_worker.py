"""Connections that are idle, slow, reset, or open when the server stops, and few threads."""

import select
import signal
import socket
import struct
import time
from contextlib import ExitStack, contextmanager, suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.parse import quote

import psutil
import pytest

from tests.deployment.conftest import ONE_PROCESS, THREADS, ours, worker_of
from tests.deployment.raw_http import GET, REGISTER, read_responses, responses_to
from tests.factories import SkillFactory
from tests.processes import is_within
from tests.sockets import has_been_accepted, has_been_read


@ours
def test_any_number_of_connections_may_be_idle(server):
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(50)]

        for _ in range(3):
            for link in links[::2]:
                assert responses_to(link, GET) == ([200], False)
        assert server.request("GET", "/api/v1/skills").status == 200


def test_pipelined_requests_are_answered_in_order(server):
    SkillFactory(slug="pdf")
    gone = GET.replace(b"skills", b"skills/none")
    with server.connect() as link:
        together = GET + gone + REGISTER + b"{}" + GET + gone

        assert responses_to(link, together, 5) == ([200, 404, 201, 200, 404], False)
        assert responses_to(link, GET) == ([200], False)


@pytest.mark.slow
@ours
def test_a_connection_that_is_idle_too_long_is_closed_used_or_not(plain_server_of):
    room = THREADS + 3
    server = plain_server_of(f"--keep-alive 1 --worker-connections {room}")
    with ExitStack() as open_links:
        used = [open_links.enter_context(server.connect()) for _ in range(2)]
        for link in used:
            assert responses_to(link, GET) == ([200], False)
        unused = [open_links.enter_context(server.connect()) for _ in range(room - 2)]

        for link in (*used, *unused):
            assert link.recv(1) == b""

    # Each made room for another: as many as before are accepted immediately.
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(room)]
        links[-1].settimeout(4)  # before any of these is closed as idle
        assert responses_to(links[-1], GET)[0] == [200]


@ours
def test_connections_beyond_the_limit_are_not_kept(plain_server_of):
    server = plain_server_of(f"--worker-connections {THREADS + 3}")
    with ExitStack() as open_links:
        for _ in range(3):
            link = open_links.enter_context(server.connect())
            assert responses_to(link, GET) == ([200], False)
        last = open_links.enter_context(server.connect())

        # As soon as the other three are idle again.
        assert is_within(30, lambda: responses_to(last, GET) == ([200], True))
        assert server.request("GET", "/api/v1/skills").status == 200


@ours
def test_at_the_limit_a_new_connection_takes_the_place_of_one_that_waits(plain_server_of):
    """One that sent nothing for a second is closed, otherwise the one that waits longest."""
    server = plain_server_of("--worker-connections 8")
    with ExitStack() as open_links:

        def connect():
            return open_links.enter_context(server.connect())

        def begin():
            """A request whose rest is still to come. On a busy machine a second passes."""
            link = connect()
            link.sendall(GET[:10])
            return link

        used = [connect() for _ in range(3)]
        for link in used:
            assert responses_to(link, GET) == ([200], False)
        silent = connect()
        time.sleep(3)
        begun = [begin() for _ in range(4)]
        assert silent.recv(1) == b""
        begun.append(begin())
        # A thread may park its connection after the client has read the response and gone on, so
        # any of these three may be the one that waits longest.
        [closed], _, _ = select.select(used, [], [], 30)
        assert closed.recv(1) == b""

        used.remove(closed)
        for link in used:
            assert responses_to(link, GET)[0] == [200]
        for link in begun:
            assert responses_to(link, GET[10:])[0] == [200]


@ours
def test_running_out_of_descriptors_ends_no_worker(plain_server_of):
    server = plain_server_of("--worker-connections 10000")
    worker = worker_of(server)
    room = worker.num_fds() + 20
    worker.rlimit(psutil.RLIMIT_NOFILE, (room, room))
    with ExitStack() as open_links:
        for _ in range(100):
            open_links.enter_context(server.connect())

        for _ in range(5):
            assert server.request("GET", "/api/v1/skills").status == 200
    assert server.request("GET", "/api/v1/skills").status == 200
    assert worker.is_running()
    assert boots(server) == 1


def test_clients_that_reset_leave_every_thread_working(plain_server_of, tmp_path):
    server = plain_server_of()
    seen = len(server.log.read_text())
    for sent in (b"", GET[:20], GET, REGISTER, REGISTER + b"{"):
        with stopped_worker(server):
            for _ in range(100):
                reset_after(server, sent)
        for _ in range(100):
            reset_after(server, sent)

    assert_all_threads_work(server, tmp_path / "released")
    log = server.log.read_text()[seen:]
    assert "Booting worker" not in log
    assert "Traceback" not in log


def reset_after(server, sent):
    """Connect, send, and reset the connection."""
    link = server.connect()
    link.sendall(sent)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()


@contextmanager
def stopped_worker(server):
    """Connections made in the block wait in the backlog; the worker then accepts them together."""
    worker = worker_of(server)
    worker.suspend()
    try:
        yield
    finally:
        worker.resume()


@pytest.mark.parametrize(
    ("path", "is_replaced"), [("/fails-in-the-middle", False), ("/exits", True)]
)
def test_a_failing_application_leaves_every_thread_working(plain_server_of, path, is_replaced):
    server = plain_server_of(application="tests.wsgi_apps:failing")
    begun = time.monotonic()
    for _ in range(THREADS * 2):
        with suppress(OSError, HTTPException):
            server.request("GET", path)

    assert is_within(30, lambda: is_responding(server))
    assert time.monotonic() - begun < 10  # half of the time that a worker has to end
    if is_replaced:
        assert is_within(30, lambda: boots(server) > 1)
    else:
        assert boots(server) == 1


def boots(server):
    return server.log.read_text().count("Booting worker")


def is_responding(server):
    try:
        return server.request("GET", "/").status == 200
    except OSError:
        return False


def assert_all_threads_work(server, released):
    with ExitStack() as open_links:
        links = occupy_all_threads(server, open_links, released)
        released.touch()
        for link in links:
            assert read_responses(link, 1) == ([200], False)


def occupy_all_threads(server, open_links, released):
    """Connections, each with a request in a thread, until the file exists."""
    links = [open_links.enter_context(server.connect()) for _ in range(THREADS)]
    for link in links:
        link.sendall(GET.replace(b"skills", f"skills?{quote(str(released))}".encode()))
    for link in links:
        assert is_within(30, lambda link=link: has_been_read(link))
    return links


def test_a_stop_completes_requests_and_closes_idle_connections(own_server_of, worker_class):
    server = own_server_of(**ONE_PROCESS, RATE_LIMIT_REGISTER="1000/h", WORKER_CLASS=worker_class)
    with server.connect() as idle, server.connect() as asking, server.connect() as late:
        assert responses_to(idle, GET) == ([200], False)
        assert responses_to(late, GET) == ([200], False)
        asking.sendall(REGISTER + b"{")
        assert is_within(30, lambda: has_been_accepted(asking))
        server.process.send_signal(signal.SIGTERM)

        # The master tells the worker a little later; until then the worker answers as before.
        assert is_within(30, lambda: responses_to(late, GET) == ([200], True))
        assert responses_to(asking, b"}")[0] == [201]
        assert idle.recv(1) == b""
        assert asking.recv(1) == b""
    assert server.process.wait(30) == 0


@ours
def test_a_request_that_finds_all_threads_busy_is_served_later(plain_server_of, tmp_path, subtests):
    """Even with a stop, a reload, or a wait beyond the idle timeout."""
    released = tmp_path / "released"
    with ExitStack() as open_links:
        links = {}
        for options, sign in (
            ("", signal.SIGTERM),
            ("", signal.SIGHUP),
            ("--keep-alive 1", None),
        ):
            server = plain_server_of(options)
            links[options, sign] = links_that_wait(server, open_links, released)
            if sign:
                server.process.send_signal(sign)
        time.sleep(3.5)  # longer than the idle timeout

        released.touch()
        for case, waiting in links.items():
            with subtests.test(str(case)):
                for link in waiting:
                    assert read_responses(link, 1)[0] == [200]


def links_that_wait(server, open_links, released):
    """Two connections, one kept and one new, whose requests wait for a thread."""
    kept, fresh = [open_links.enter_context(server.connect()) for _ in range(2)]
    assert responses_to(kept, GET) == ([200], False)
    busy = occupy_all_threads(server, open_links, released)
    kept.sendall(GET)
    fresh.sendall(GET)
    return *busy, kept, fresh


def test_a_new_connection_has_time_for_its_first_request(plain_server_of):
    server = plain_server_of("--keep-alive 0")
    with server.connect() as slow:
        for _ in range(3):
            assert server.request("GET", "/healthz").status == 200
            time.sleep(0.5)

        assert responses_to(slow, GET) == ([200], True)


def test_a_worker_that_has_served_max_requests_is_replaced(plain_server_of):
    server = plain_server_of("--max-requests 20 --max-requests-jitter 0")
    for _ in range(60):
        assert server.request("GET", "/api/v1/skills").status == 200

    assert is_within(30, lambda: boots(server) >= 3)


def test_the_date_of_a_response_is_that_of_its_second(server):
    first, begun = date_of(server), int(time.time())
    time.sleep(1.1)

    assert begun - 1 <= first < date_of(server) <= time.time()


def date_of(server):
    return parsedate_to_datetime(server.request("GET", "/healthz").headers["Date"]).timestamp()
