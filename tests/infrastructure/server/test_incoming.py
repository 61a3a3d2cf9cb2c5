"""How much of a request is missing, judged by what has arrived."""

import pytest

from infrastructure.server.incoming import (
    MAX_ARRIVED,
    MAX_HEAD,
    Incoming,
    TooLarge,
)
from infrastructure.server.sizes import MAX_BODY, MAX_UPLOAD

LINE = b"POST /x HTTP/1.1\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
UPLOAD = b"POST /admin/x HTTP/1.1\r\nContent-Length: %d\r\n\r\n"
EXPECTING = LINE + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"


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
        (CHUNKED + b"no\r\n", 0),
        (CHUNKED + b"\r\n", 0),
        (LINE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 0),
        (CHUNKED.replace(b"1.1", b"1.0"), 0),
        (LINE + b"Expect: tea\r\nContent-Length: 5\r\n\r\n", 0),
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
    assert Incoming().missing(data) == missing


def test_a_request_is_followed_from_byte_to_byte():
    for request in (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        LINE + b"Content-Length: 5\r\n\r\nabcde",
        CHUNKED + b"3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n",
    ):
        incoming = Incoming()
        for size in range(len(request)):
            assert 0 < incoming.missing(request[:size]) <= len(request) - size
        assert incoming.missing(request) == 0


def test_only_staff_upload():
    upload, other = Incoming(), Incoming()

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
        incoming = Incoming()
        incoming.missing(data)
        assert incoming.expects_continue is expects, data


def test_heads_and_what_frames_chunks_are_bounded():
    small_chunk = b"1;" + b"x" * 5000 + b"\r\ny\r\n"

    with pytest.raises(TooLarge, match="head"):
        Incoming().missing(b"x" * MAX_HEAD)
    with pytest.raises(TooLarge, match="body"):
        Incoming().missing(CHUNKED + b"1" * 10_000)
    with pytest.raises(TooLarge, match="body"):
        Incoming().missing(CHUNKED + small_chunk * (MAX_ARRIVED // 5000 + 1))
