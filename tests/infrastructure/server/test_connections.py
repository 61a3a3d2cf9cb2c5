"""The parked connections: which one has to leave, and when one has its whole request."""

import socket
import time
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from infrastructure.server.connections import (
    CONTINUE,
    FIRST_SECONDS,
    ClientConnection,
    ParkedConnections,
)

pytestmark = pytest.mark.infrastructure

POST = b"POST /x HTTP/1.1\r\nHost: a\r\n"
UPLOAD = b"POST /admin/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"


def parked(*conns):
    return ParkedConnections(enumerate(conns))


USED = None


def waiting(silent_for):
    """A connection that has been silent for so many seconds, or has had a response."""
    wait = 75 if silent_for is USED else FIRST_SECONDS - silent_for
    return SimpleNamespace(is_unread=silent_for is not USED, deadline=time.monotonic() + wait)


@pytest.mark.parametrize(
    ("seconds", "place"),
    [
        ([], None),
        ([9], None),
        ([USED, USED, USED], 0),
        ([USED, 2, 9, USED], 1),
        ([USED, 0.5, USED], 0),
        ([0.5, 0.2, USED], 0),
        ([USED, 9], 0),
    ],
    ids=[
        "of none",
        "never the newest",
        "the longest wait",
        "one that is silent",
        "no matter who is silent for less than a second",
        "the first of several",
        "not the newest, even if that is silent",
    ],
)
def test_the_idlest_is(seconds, place):
    conns = [waiting(silent_for) for silent_for in seconds]

    assert parked(*conns).idlest() == ([] if place is None else [(place, conns[place])])


def stored(size, upload=None):
    return SimpleNamespace(stored=size, upload=upload)


def test_the_largest_leaves_where_together_they_are_beyond_the_bound():
    small, large, conn = stored(10), stored(30), stored(20)
    conns = parked(small, large)

    assert conns.largest_beyond(conn, 60) is None
    assert conns.largest_beyond(conn, 59) is large
    assert conns.largest_beyond(stored(31), 59).stored == 31


def test_uploads_and_other_requests_have_bounds_of_their_own():
    large, conn = stored(1000, upload="file"), stored(20)
    conns = parked(large, stored(30))

    assert conns.largest_beyond(conn, 50) is None
    assert conns.largest_beyond(stored(10, upload="file"), 1010) is None
    assert conns.largest_beyond(stored(10, upload="file"), 1009) is large


def unsent(memory, deadline=1):
    return SimpleNamespace(sock=SimpleNamespace(memory=memory), deadline=deadline)


def test_beyond_are_the_most_stalled_until_the_rest_fit():
    conns = [unsent(10, 3), unsent(10, 1), unsent(10, 2), unsent(0, 0.5)]

    assert [*parked(*conns).beyond(30)] == []
    assert [*parked(*conns).beyond(29)] == [conns[1]]
    assert [*parked(*conns).beyond(20)] == [conns[1]]
    assert [*parked(*conns).beyond(19)] == [conns[1], conns[2]]


def test_beyond_leaves_out_what_is_closed_already():
    assert [*parked(unsent(100, 0), unsent(10)).beyond(10)] == []


@pytest.fixture
def ends():
    """A connection, and the client's end of it."""
    server, client = socket.socketpair()
    client.settimeout(5)
    conn = ClientConnection(TConn(Config(), server, ("127.0.0.1", 1), ("127.0.0.1", 2)))
    with client:
        yield conn, client
        conn.close()


def test_a_request_is_whole_once_its_body_has_come(ends):
    conn, client = ends
    assert not conn.is_whole()
    client.sendall(POST + b"Content-Length: 3\r\n\r\n")
    assert not conn.is_whole()
    client.sendall(b"abc")
    assert conn.is_whole()


def test_a_request_whose_head_is_too_large_is_not_whole(ends):
    conn, client = ends
    client.sendall(b"x" * 64 * 1024)

    assert not conn.is_whole()


def test_a_client_that_expects_a_100_gets_one(ends):
    conn, client = ends
    client.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    conn.is_whole()
    for _ in range(2):
        conn.tell_to_continue()

    assert client.recv(1000) == CONTINUE


def test_a_stored_body_is_read_before_the_socket(ends):
    conn, client = ends
    head = POST + b"Content-Length: 6\r\n\r\n"
    client.sendall(head + b"abc")
    assert conn.is_unread
    conn.store_body(len(head) + 3)
    assert (conn.stored, conn.is_unread) == (len(head) + 3, False)
    client.sendall(b"def")

    assert conn.is_whole()
    assert next(conn.parser).body.read() == b"abcdef"


def test_a_stored_upload_is_the_request(ends):
    conn, client = ends
    conn.store_body(0)
    client.sendall(UPLOAD)
    conn.is_whole()
    conn.store_body(len(UPLOAD) - 10)
    assert not conn.store_upload()
    assert (conn.stored, conn.upload.missing) == (len(UPLOAD), 100_000)
    client.sendall(b"x" * 100_000)

    while conn.upload.missing:
        assert not conn.store_upload()

    assert next(conn.parser).body.read() == b"x" * 100_000


def test_a_client_that_closes_in_an_upload_is_seen(ends):
    conn, client = ends
    client.sendall(UPLOAD + b"x")
    conn.is_whole()
    client.close()

    assert conn.store_upload()


def test_the_end_of_a_request_lets_go_of_what_it_stored(ends):
    conn, client = ends
    client.sendall(UPLOAD)
    conn.is_whole()
    conn.store_upload()
    file, conn.is_partial = conn.upload.file, True

    conn.end_request()

    assert file.closed
    assert (conn.upload, conn.stored, conn.is_partial) == (None, 0, False)
    assert not conn.incoming.is_upload
