"""Limits of unfinished requests and unread responses: time, memory, disk, descriptors."""

import select
import socket
import struct
import threading
import time
from contextlib import ExitStack, suppress

import psutil
import pytest

from tests.deployment.conftest import THREADS, impatient, ours, worker_of
from tests.deployment.raw_http import CHUNKED, GET, REGISTER, UPLOAD, read_responses, responses_to
from tests.processes import is_within
from tests.sockets import has_been_read
from tests.wsgi_apps import LARGE


@impatient
def test_an_upload_must_come_in_time_too(plain_server_of):
    server = plain_server_of()
    with server.connect() as link:
        link.sendall(UPLOAD + b"x")
        assert read_responses(link, 1) == ([408], True)
    assert server.request("GET", "/").status == 200


SMALL_CHUNK = b"1;" + b"x" * 8000 + b"\r\n1\r\n"


@impatient
@pytest.mark.parametrize(
    ("large", "number", "begin", "rest"),
    [
        (UPLOAD + b"x" * 299_999, 3, UPLOAD + b"x" * 200_000, b"x" * 100_000),
        (CHUNKED + SMALL_CHUNK * 20, 6, CHUNKED + SMALL_CHUNK * 15, b"0\r\n\r\n"),
    ],
)
def test_the_largest_request_is_refused_when_room_is_short(
    plain_server_of, large, number, begin, rest
):
    server = plain_server_of()
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(number + 1)]
        *others, newcomer = links
        for link, start in zip(links, [large] * number + [begin], strict=True):
            link.sendall(start)
            assert is_within(60, lambda link=link: has_been_read(link))
        [refused, *_], *_ = select.select(others, [], [], 10)
        received = refused.makefile("rb").read()

        assert received.startswith(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n")
        assert b"\r\nRetry-After: 2\r\n" in received
        assert responses_to(newcomer, rest)[0] == [201]


@ours
def test_an_upload_that_the_disk_does_not_take_is_told_to_come_later(plain_server_of):
    server = plain_server_of()
    worker_of(server).rlimit(psutil.RLIMIT_FSIZE, (8000, 8000))
    for _ in range(THREADS * 2):
        with server.connect() as link:
            link.sendall(UPLOAD)
            for _ in range(4):  # with some bytes left in the buffer of the file
                link.sendall(b"x" * 5001)
                assert is_within(60, lambda link=link: has_been_read(link))
            assert read_responses(link, 1) == ([503], True)

    assert server.request("GET", "/").status == 200
    assert "An upload cannot be stored: [Errno 27] File too large" in server.log.read_text()


@ours
def test_pipelined_bodies_need_not_fit_into_the_kernel_together(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:echo")
    body = b"x" * 65_535
    request = REGISTER.replace(b"Length: 2", b"Length: %d" % len(body)) + body
    with server.connect() as link:
        link.settimeout(10)  # a connection without a request has 15 s
        sender = threading.Thread(target=link.sendall, args=[request * 6])
        sender.start()
        received = 0
        while received < 6 * len(body):
            received += len(link.recv(1024**2))
        sender.join()

    assert server.request("GET", "/").status == 200


@ours
def test_an_upload_by_a_client_that_then_sends_no_more_is_read(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:echo")
    upload = UPLOAD.replace(b"300000", b"2000000")
    with server.connect() as link:
        link.sendall(GET + upload + b"x" * 2_000_000)
        link.shutdown(socket.SHUT_WR)
        received = link.makefile("rb").read()

    assert received.count(b"HTTP/1.1 20") == 2
    assert received.endswith(b"\r\n\r\n" + b"x" * 2_000_000)


@impatient
def test_a_new_connection_that_sends_nothing_is_closed(plain_server_of):
    server = plain_server_of()
    with server.connect() as link:
        link.settimeout(10)  # after a response, a connection has 75 s
        assert link.recv(1) == b""


@impatient
def test_responses_that_nobody_takes_are_dropped_beyond_a_bound(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:large")
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(2)]
        for link in links:
            link.sendall(GET)

        # Each response exceeds the limit: only what the kernel has taken arrives.
        time.sleep(4)
        for link in links:
            with suppress(ConnectionResetError):
                assert len(link.makefile("rb").read()) < LARGE
    assert server.request("GET", "/").status == 200


@ours
def test_an_idle_connection_holds_no_response_that_it_has_sent(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:large")
    with ExitStack() as open_links:
        for _ in range(6):
            link = open_links.enter_context(server.connect())
            link.sendall(GET)
            received = 0
            while received < LARGE:
                received += len(link.recv(1024 * 1024))

        assert is_within(60, lambda: server.request("GET", "/").body == b"00")


@ours
@pytest.mark.parametrize("begin", [b"", GET[:20], CHUNKED + b"1\r\nx\r\n", UPLOAD + b"x"])
def test_a_client_that_resets_while_it_waits_is_forgotten(plain_server_of, begin):
    server = plain_server_of()
    before = open_files(server)
    with server.connect() as link:
        link.sendall(begin)
        assert is_within(30, lambda: open_files(server) > before)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    assert is_within(60, lambda: open_files(server) == before)


def open_files(server):
    """How many descriptors its one worker has open."""
    return worker_of(server).num_fds()
