"""The parked connections: which one has to leave."""

import time
from types import SimpleNamespace

import pytest

from infrastructure.server.connections import FIRST_SECONDS, ParkedConnections

pytestmark = pytest.mark.infrastructure


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
