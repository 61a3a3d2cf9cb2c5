"""How much of a request is missing, judged by what has arrived."""

import pytest
from gunicorn.config import Config
from gunicorn.http import message
from gunicorn.http.unreader import Unreader
from hypothesis import given, settings
from hypothesis import strategies as st

from infrastructure.server.incoming import (
    MAX_ARRIVED,
    MAX_HEAD,
    Incoming,
    RequestRefused,
)
from infrastructure.server.sizes import MAX_BODY, MAX_UPLOAD
from tests.infrastructure.server.messages import PEER

LINE = b"POST /x HTTP/1.1\r\nHost: a\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
UPLOAD = b"POST /admin/x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
CONFIG = Config()
EXPECTING = LINE + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"


def incoming():
    return Incoming(CONFIG, PEER)


@pytest.mark.parametrize(
    ("data", "missing"),
    [
        (b"", 1),
        (b"GET / HTTP/1.1\r\n", 1),
        (b"GET / HTTP/1.1\r\n\r\n", 0),
        (LINE + b"Content-Length: 5\r\n\r\n", 5),
        (LINE + b"content-length:\t5\r\n\r\nabc", 2),
        (LINE + b"Content-Length: 5\r\n\r\nabcde", 0),
        (LINE + b"Content-Length: 5\r\n\r\nabcdeGET", 0),
        (LINE + b"Content-Length: %s5\r\n\r\nabc" % (b"0" * 30), 2),
        (b"\r\nContent-Length: 5\r\n\r\n", 0),  # a request line that gunicorn answers with 400
        (LINE + b"X: 1\r\n\r\nContent-Length: 5\r\n\r\n", 0),
        # More than the shortest possible ending is never required.
        (CHUNKED, 5),
        (CHUNKED.replace(b"chunked", b"gzip, Chunked"), 5),
        (CHUNKED + b"3", 4),
        (CHUNKED + b"3\r\n", 10),
        (CHUNKED + b"3\r\nabc", 7),
        (CHUNKED + b"3\r\nabc\r\n", 5),
        (CHUNKED + b"3\r\nabc\r\n0\r\n", 2),
        (CHUNKED + b"3\r\nabc\r\n0\r\n\r\n", 0),
        (CHUNKED + b"3;name=value\r\nabc\r\n0\r\n\r\n", 0),
        (CHUNKED + b"0\r\nTrailer: 1\r\n", 1),
        (CHUNKED + b"0\r\nTrailer: 1\r\n\r\n", 0),
        (CHUNKED + b"000A\r\n", 17),
        (CHUNKED.replace(b"1.1", b"1.2"), 5),
        # gunicorn refuses these at once.
        (LINE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 0),
        (CHUNKED.replace(b"1.1", b"1.0"), 0),
        (LINE + b"Expect: tea\r\nContent-Length: 5\r\n\r\n", 0),
        (CHUNKED.replace(b"chunked", b"xchunked"), 0),
        (CHUNKED.replace(b"chunked", b"chunked, chunked"), 0),
        (CHUNKED.replace(b"chunked", b"chunked\r\nTransfer-Encoding: chunked"), 0),
        (CHUNKED.replace(b"chunked", b"chunked;q=1"), 0),
        (CHUNKED.replace(b"chunked", b'"chunked"'), 0),
        (CHUNKED.replace(b"chunked", b"chunked\x01"), 0),
        (LINE + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 0),
        (LINE + b"Content-Length:\r\nContent-Length: 5\r\n\r\n", 0),
        (LINE + b"Content-Length : 5\r\n\r\n", 0),
        (LINE + b"Content-Length: 5\r\nX: \0\r\n\r\n", 0),
        (LINE + LINE[17:] + b"Content-Length: 5\r\n\r\n", 0),
        (LINE + b"Transfer-Encoding: identity\r\n\r\n", 0),
        (LINE + b"Transfer-Encoding: gzip\r\n\r\n{}", 0),
        (LINE + b"Content-Length: 5,5\r\n\r\n", 0),
        (LINE + b"Content-Length: -1\r\n\r\n", 0),
        # The application refuses these without reading the body.
        (LINE + b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1), 0),
        (UPLOAD % (MAX_UPLOAD + 1), 0),
        (LINE + b"Content-Length: %s\r\n\r\n" % (b"9" * 5000), 0),
        # One byte more than it reads.
        (CHUNKED + b"20000\r\n", MAX_BODY + 1),
        (CHUNKED + b"20000\r\n" + b"x" * (MAX_BODY + 1), 0),
    ],
)
def test_the_bytes_that_are_missing_at_least(data, missing):
    assert incoming().missing(data) == missing


@pytest.mark.parametrize(
    "chunk", [b"no\r\n", b"\r\n", b"2\n{}", b"2\r\n{}X", b"0\r\nX: 1\n", b"1;\0"]
)
def test_a_broken_chunk_is_refused_at_once(chunk):
    with pytest.raises(RequestRefused, match="broken chunk"):
        incoming().missing(CHUNKED + chunk)


def test_a_request_is_followed_from_byte_to_byte():
    for request in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        LINE + b"Content-Length: 5\r\n\r\nabcde",
        CHUNKED + b"3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n",
    ):
        arriving = incoming()
        for size in range(len(request)):
            assert 0 < arriving.missing(request[:size]) <= len(request) - size
        assert arriving.missing(request) == 0


def test_only_staff_upload():
    upload, other = incoming(), incoming()

    assert upload.missing(UPLOAD % MAX_UPLOAD) == MAX_UPLOAD
    assert upload.is_upload
    assert other.missing((UPLOAD % MAX_UPLOAD).replace(b"/admin/", b"/admit/")) == 0
    assert not other.is_upload


def test_a_client_that_expects_a_100_is_known():
    for data, expects in (
        (EXPECTING, True),
        (EXPECTING.replace(b"100-continue", b"\t100-Continue "), True),
        (EXPECTING.replace(b"1.1", b"1.0"), False),
        (EXPECTING.replace(b"Length: 5", b"Length: 0"), False),
        (EXPECTING.replace(b"Length: 5", b"Length: %d" % (MAX_BODY + 1)), False),
        (CHUNKED, False),
    ):
        arriving = incoming()
        arriving.missing(data)
        assert arriving.expects_continue is expects, data


def test_heads_and_what_frames_chunks_are_bounded():
    small_chunk = b"1;" + b"x" * 5000 + b"\r\ny\r\n"

    with pytest.raises(RequestRefused, match="head"):
        incoming().missing(b"x" * MAX_HEAD)
    with pytest.raises(RequestRefused, match="body"):
        incoming().missing(CHUNKED + b"1" * 10_000)
    with pytest.raises(RequestRefused, match="body"):
        incoming().missing(CHUNKED + small_chunk * (MAX_ARRIVED // 5000 + 1))
    with pytest.raises(RequestRefused, match="body"):
        incoming().missing(CHUNKED + b"1\r\nx\r\n" * 4097)
    assert incoming().missing(CHUNKED + b"1\r\nx\r\n" * 4096) == 5


class Ended(Exception):
    """gunicorn would wait for more."""


class ArrivedSoFar(Unreader):
    def __init__(self, data):
        super().__init__()
        self.data = [data]

    def chunk(self, _size_hint=None):
        if not self.data:
            raise Ended
        return self.data.pop()


def waits(data):
    """Whether gunicorn itself would wait for more of this request than what has arrived."""
    try:
        request = message.Request(CONFIG, ArrivedSoFar(data), PEER)
        while request.body.read(1024):
            pass
    except Ended:
        return True
    except Exception:  # noqa: BLE001
        return False
    return False


NAMES = [b"Content-Length", b"Transfer-Encoding", b"Expect", b"X", b"transfer-encoding "]
VALUES = [b"chunked", b"gzip", b"identity", b"x", b",", b";q=1", b'"', b"\x01", b"\t", b" "]
VALUES += [b"0", b"3", b"12", b"-", b"+", b"100-continue", b"\xb2", b"_"]
PIECES = [b"0", b"3", b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b";x", b" ", b"xyz", b"X: 1"]
FRAMES = [b"", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 4\r\n"]


def some(pieces, most):
    return st.lists(st.sampled_from(pieces), max_size=most).map(b"".join)


FIELD = st.tuples(st.sampled_from(NAMES), some(VALUES, 3)).map(lambda field: b"%b: %b\r\n" % field)
HEAD = st.tuples(
    st.sampled_from([b"1.1", b"1.1", b"1.1", b"1.0", b"1.2", b"2.0", b"x"]),
    st.sampled_from(FRAMES),
    st.lists(FIELD, max_size=2).map(b"".join),
).map(lambda parts: b"POST /x HTTP/%b\r\nHost: a\r\n%b%b\r\n" % parts)
# Whatever gunicorn might be waiting for: the end of a line, and of a chunk of at most three bytes.
ENDINGS = [
    line + b"x" * size + last
    for line in (b"", b"\n", b"\r\n", b":\r\n", b"x\r\n", b";x\r\n", b"3\r\n", b"0\r\n")
    for size in range(5)
    for last in (b"", b"\n", b"\r\n", b"\n0\r\n\r\n", b"\r\n0\r\n\r\n")
]


def is_read(data):
    """Whether gunicorn reads the request to its end."""
    try:
        request = message.Request(CONFIG, ArrivedSoFar(data), PEER)
        while request.body.read(1024):
            pass
    except (Exception, Ended):  # noqa: BLE001
        return False
    return True


def is_whole_or_refused(arriving, data):
    try:
        return arriving.missing(data) == 0
    except RequestRefused:
        return True


@pytest.mark.contract("24.8")
@settings(max_examples=500, deadline=None, derandomize=True)
@given(HEAD, some(PIECES, 9))
def test_it_ends_where_gunicorn_ends_it(head, body):
    arriving, data = incoming(), head + body

    if is_whole_or_refused(arriving, data):
        # No continuation makes a request of it: it is one already, or it is refused.
        assert not waits(data) or not any(is_read(data + ending) for ending in ENDINGS)
    else:
        assert waits(data)
