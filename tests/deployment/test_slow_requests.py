"""Requests that arrive slowly, in part, or with a body of unknown length."""

import json
import time
from contextlib import ExitStack

import pytest

from tests.deployment.conftest import ONE_PROCESS, THREADS, ours
from tests.deployment.raw_http import (
    CHUNKED,
    EXPECTING,
    GET,
    REGISTER,
    UPLOAD,
    read_responses,
    responses_to,
)


def test_a_request_in_small_pieces_is_answered(server):
    with server.connect() as link:
        for start in range(0, len(GET), 8):
            link.sendall(GET[start : start + 8])
        assert read_responses(link, 1) == ([200], False)


@ours
@pytest.mark.parametrize(
    "part",
    [
        *(b"G", GET[:-2], REGISTER, REGISTER[:-10], REGISTER + b"{"),
        REGISTER.replace(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"1\r\n{\r\n",
    ],
)
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
    assert json.loads(body) == {"error": "Request head is too large"}


def test_a_slow_body_is_read_whole_and_the_next_request_too(server):
    comment = b'{"name": "' + b" " * 60_000 + b'x"}'
    slow = REGISTER.replace(b"Length: 2", b"Length: %d" % len(comment)) + comment
    with server.connect() as link:
        for start in range(0, len(slow), 20_000):
            link.sendall(slow[start : start + 20_000])
            time.sleep(0.1)
        assert read_responses(link, 1) == ([400], False)
        assert responses_to(link, GET) == ([200], False)


def test_the_rest_of_a_body_is_read_before_the_next_request(server):
    with server.connect() as link:
        unread = GET.replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\nabc")
        assert responses_to(link, unread) == ([200], False)
        link.sendall(REGISTER)
        time.sleep(0.1)
        assert responses_to(link, b"{}") == ([201], False)


@ours
def test_a_refusal_does_not_wait_for_the_body(server):
    with server.connect() as link:
        link.settimeout(3)  # gunicorn waits 5 s for the rest
        link.sendall(GET.replace(b"GET", b"POST")[:-2] + b"Content-Length: 70000\r\n\r\n")

        assert link.recv(100).startswith(b"HTTP/1.1 405 Method Not Allowed\r\n")


def test_the_line_behind_an_empty_one_is_the_request_line_and_tells_no_length(server):
    with server.connect() as link:
        link.settimeout(10)  # a request that has not arrived has 15 s
        link.sendall(b"\r\nContent-Length: 5\r\n\r\n")

        assert link.recv(100).startswith(b"HTTP/1.1 400 Bad Request\r\n")


@pytest.mark.contract("24.8")
@ours
def test_no_body_holds_a_thread(plain_server_of):
    """Not for chunks, a body that needs a 100 first, or an upload."""
    server = plain_server_of()
    with ExitStack() as open_links:
        waiting = {
            kind: [open_links.enter_context(server.connect()) for _ in range(THREADS * 2)]
            for kind in (CHUNKED + b"1\r\nx\r\n", EXPECTING, UPLOAD + b"x" * 100_000)
        }
        for begin, links in waiting.items():
            for link in links:
                link.sendall(begin)
        chunked, expecting, uploading = waiting.values()
        for link in expecting:
            assert link.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"

        assert server.request("GET", "/api/v1/skills").status == 200
        for link in chunked:
            assert responses_to(link, b"0\r\n\r\n") == ([201], False)
            assert responses_to(link, GET) == ([200], False)
        for link in expecting:
            assert responses_to(link, b"{}") == ([201], False)
            assert responses_to(link, GET) == ([200], False)
        for link in uploading:
            assert responses_to(link, b"x" * 200_000) == ([201], True)


@ours
def test_chunks_may_come_in_any_pieces(plain_server_of):
    server = plain_server_of(application="tests.wsgi_apps:echo")
    body = CHUNKED + b"3;a=b\r\nabc\r\n00A\r\n0123456789\r\n0\r\nX: 1\r\n\r\n"
    with server.connect() as link:
        for size in (1, 7, len(body)):
            for start in range(0, len(body), size):
                link.sendall(body[start : start + size])
            received = link.recv(1000)
            assert received.startswith(b"HTTP/1.1 200 OK\r\n")
            assert received.endswith(b"\r\n\r\nabc0123456789")
            link.sendall(GET)
            assert b"Content-Length: 0\r\n" in link.recv(1000)


@ours
@pytest.mark.parametrize(
    ("chunks", "status"),
    [
        (b"10001\r\n" + b"x" * 65_537, 413),
        (b"fffffffffffffffff\r\n" + b"x" * 65_537, 413),
        (b"1" * 10_000, 413),
        ((b"1;" + b"x" * 5_000 + b"\r\ny\r\n") * 50, 413),
        (b"1\r\nx\r\n" * 5_000, 413),
        (b"x\r\n", 400),
    ],
)
def test_chunks_that_are_refused_are_not_awaited(server, chunks, status):
    with server.connect() as link:
        link.settimeout(10)  # a body that has not arrived has 15 s
        link.sendall(CHUNKED + chunks)
        head, _, body = link.makefile("rb").read().partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nConnection: close\r\n" in head
    assert [*json.loads(body)] == ["error"]


@pytest.mark.parametrize(
    ("begin", "status"),
    [
        (b"POST /api/v1/skills", 405),
        (b"POST /api/v1/none", 404),
        (b"POST /api/v1/agents/me/skills/install", 401),
        (b"POST /api/v1/agents/me/submissions", 401),
        (b"POST /api/v1/agents/register", 413),
        (b"POST /operator", 403),
        (b"POST /none", 404),
        (b"GET /api/v1/skills", 200),
    ],
)
@pytest.mark.parametrize("length", [65_536, 300_000, 30_000_000])
def test_a_connection_ends_as_announced_where_a_body_stays_unread(server, begin, status, length):
    if (begin, length) == (b"POST /api/v1/agents/register", 65_536):
        status = 400
    with server.connect() as link:
        link.sendall(
            begin + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % length + b"x" * min(length, 131_073)
        )
        received = link.makefile("rb").read()

    assert received.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nConnection: close\r\n" in received
    assert received.count(b"HTTP/1.1") == 1


def test_a_form_that_is_too_long_is_refused_unread(server):
    with server.connect() as link:
        link.settimeout(10)  # a body that has not arrived has 15 s
        link.sendall(
            b"POST /operator HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n"
            b"Cookie: csrftoken=" + b"a" * 32 + b"\r\n\r\nkey="
        )

        assert link.recv(100).startswith(b"HTTP/1.1 400 Bad Request\r\n")
