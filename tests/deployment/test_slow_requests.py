"""Requests that come slowly, in part, or with a body of unknown length."""

import json
import socket
import struct
import time
from contextlib import ExitStack, suppress

import psutil
import pytest

from tests.deployment.conftest import ONE_PROCESS, ours
from tests.deployment.raw_http import GET, REGISTER, read_responses, responses_to
from tests.processes import is_within
from tests.sockets import has_been_read
from tests.wsgi_apps import LARGE


def test_a_request_in_small_pieces_is_answered(server):
    with server.connect() as link:
        for start in range(0, len(GET), 8):
            link.sendall(GET[start : start + 8])
        assert read_responses(link, 1) == ([200], False)


@ours
@pytest.mark.parametrize("part", [b"G", GET[:-2], REGISTER, REGISTER[:-10], REGISTER + b"{"])
def test_a_request_that_does_not_come_is_refused(live_server_of, worker_class, part):
    server = live_server_of(**ONE_PROCESS, REQUEST_TIMEOUT="1")
    with server.connect() as link:
        link.sendall(part)
        head, _, body = link.makefile("rb").read().partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n")
    assert b"Content-Type: application/json" in head
    assert json.loads(body) == {"error": "The request was not complete in time"}


@ours
def test_a_head_without_an_end_is_refused(server):
    with server.connect() as link:
        link.sendall(GET[:-2] + b"X: " + b"x" * 64 * 1024)
        head, _, body = link.makefile("rb").read().partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert json.loads(body) == {"error": "Error parsing headers: 'max buffer headers'"}


def test_a_slow_body_is_read_whole_and_the_next_request_too(server):
    comment = b'{"name": "' + b" " * 60_000 + b'x"}'
    slow = REGISTER.replace(b"Length: 2", b"Length: %d" % len(comment)) + comment
    with server.connect() as link:
        for start in range(0, len(slow), 20_000):
            link.sendall(slow[start : start + 20_000])
            time.sleep(0.1)
        assert read_responses(link, 1) == ([400], False)
        assert responses_to(link, GET) == ([200], False)


@ours
def test_a_refusal_does_not_wait_for_the_body(server):
    with server.connect() as link:
        link.settimeout(3)  # gunicorn waits for the rest for 5 s
        link.sendall(GET.replace(b"GET", b"POST")[:-2] + b"Content-Length: 70000\r\n\r\n")

        assert link.recv(100).startswith(b"HTTP/1.1 405 Method Not Allowed\r\n")


def test_the_line_behind_an_empty_one_is_the_request_line_and_tells_no_length(server):
    with server.connect() as link:
        link.settimeout(3)  # a request that has not arrived has 15 s
        link.sendall(b"\r\nContent-Length: 5\r\n\r\n")

        assert link.recv(100).startswith(b"HTTP/1.1 400 Bad Request\r\n")


@ours
def test_bodies_of_unknown_length_hold_half_of_the_threads(plain_server_of):
    """Chunked ones, those longer than the API's, and those that wait for a 100."""
    server = plain_server_of()
    chunked = REGISTER.replace(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"1\r\nx\r\n"
    long = REGISTER.replace(b"Length: 2", b"Length: 70000") + b"x" * 69_999
    expecting = REGISTER.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(3)]
        links[0].sendall(chunked)
        assert is_within(30, lambda: has_been_read(links[0]))
        for link, start in zip(links[1:], (long, expecting), strict=True):
            link.sendall(start)

        assert server.request("GET", "/api/v1/skills").status == 200
        assert not has_been_read(links[1])
        assert responses_to(links[0], b"0\r\n\r\n") == ([201], False)
        assert responses_to(links[1], b"x") == ([201], False)
        assert links[2].recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert responses_to(links[2], b"{}") == ([201], False)


impatient = pytest.mark.parametrize(
    "worker_class", ["tests.impatient_worker.Worker"], indirect=True
)


@impatient
def test_a_body_of_unknown_length_must_come_in_time_too(plain_server_of):
    server = plain_server_of()
    chunked = REGISTER.replace(b"Content-Length: 2", b"Transfer-Encoding: chunked")
    with server.connect() as link:
        link.sendall(chunked + b"5\r\nab")

        link.settimeout(10)
        assert link.recv(1) == b""
    assert server.request("GET", "/").status == 200


@impatient
def test_responses_that_nobody_takes_are_dropped_beyond_a_bound(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:large")
    with ExitStack() as open_links:
        links = [open_links.enter_context(server.connect()) for _ in range(2)]
        for link in links:
            link.sendall(GET)

        # Each response is larger than the bound: what the kernel has taken is all that comes.
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

        assert is_within(10, lambda: worker_of(server).memory_info().rss < 5 * LARGE)


@ours
def test_a_client_that_resets_while_it_waits_is_forgotten(plain_server_of):
    server = plain_server_of()
    chunked = REGISTER.replace(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"1\r\nx\r\n"
    with server.connect() as first:
        first.sendall(chunked)
        assert is_within(30, lambda: has_been_read(first))
        before = open_files(server)
        with server.connect() as second:
            second.sendall(chunked)
            assert is_within(30, lambda: open_files(server) > before)
            second.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        assert is_within(5, lambda: open_files(server) == before)
        assert responses_to(first, b"0\r\n\r\n") == ([201], False)


def open_files(server):
    """How many its one worker has open."""
    return worker_of(server).num_fds()


def worker_of(server):
    [worker] = psutil.Process(server.process.pid).children()
    return worker
