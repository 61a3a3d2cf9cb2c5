"""How much of a request is missing, judged by what has arrived."""

import pytest
from gunicorn.config import Config
from gunicorn.http import message
from gunicorn.http.unreader import Unreader
from hypothesis import given, settings
from hypothesis import strategies as st

from infrastructure.server.incoming import Incoming, RequestRefused
from infrastructure.server.sizes import MAX_BODY, MAX_FETCH, MAX_SUBMISSION, MAX_UPLOAD

LINE = b"POST /x HTTP/1.1\r\nHost: a\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
CONFIG, PEER = Config(), ("127.0.0.1", 1)
SUBMISSIONS = b"/api/v1/agents/me/submissions"


def incoming():
    return Incoming(CONFIG, PEER)


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


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (b"/x", MAX_BODY),
        (b"/git", MAX_BODY),
        (b"/git/me.git/git-upload-pack", MAX_FETCH),
        (b"/%67it/", MAX_FETCH),
        (b"http://a/admin/", MAX_UPLOAD),
        (b"/%61dmin/", MAX_UPLOAD),
        (SUBMISSIONS, MAX_SUBMISSION),
        (SUBMISSIONS + b"/?note=x", MAX_SUBMISSION),
        (b"/api/v1/agents/me/%73ubmissions", MAX_SUBMISSION),
        (SUBMISSIONS + b"/x", MAX_BODY),
        (b"/api/v1/agents/me/reviews", MAX_BODY),
    ],
)
def test_the_path_decides_how_long_a_body_is_awaited(path, most):
    """In every spelling, as the application reads a body of this path to its end."""

    def missing(length):
        head = LINE.replace(b"/x", path) + b"Content-Length: %d\r\n\r\n" % length
        return incoming().missing(head)

    assert (missing(most), missing(most + 1)) == (most, 0)


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


def outcome(data):
    """What gunicorn itself does with a request that has arrived so far."""
    try:
        request = message.Request(CONFIG, ArrivedSoFar(data), PEER)
        while request.body.read(1024):
            pass
    except Ended:
        return "waits"
    except Exception:  # noqa: BLE001
        return "refuses"
    return "reads"


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
        assert outcome(data) != "waits" or "reads" not in {outcome(data + end) for end in ENDINGS}
    else:
        assert outcome(data) == "waits"
