"""Slow requests are served one after the other, and no client pushes the others back."""

from threading import Event

import pytest

from infrastructure.server.turns import Turns, path_and_forwarded

HEAD = b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture
def turns():
    turns = Turns(places=4)
    yield turns
    turns.close()


@pytest.fixture
def busy(turns):
    """A client whose request is being served until the event is set."""
    begun, go_on = Event(), Event()

    def request():
        begun.set()
        go_on.wait(30)

    turns.add("busy", request)
    assert begun.wait(30)
    yield go_on
    go_on.set()


def test_each_client_has_one_place_in_the_queue(turns, busy):
    served, ended = [], Event()
    for number in range(3):
        turns.add("busy", lambda number=number: served.append(number))
    turns.add("other", lambda: served.append("other"))
    turns.thread.submit(ended.set)
    busy.set()

    assert ended.wait(30)
    assert served == [0, "other", 1, 2]


def test_too_many_are_refused(turns, busy):
    added = [turns.add(client, bool) for client in ("busy", "a", "b", "c", "d")]

    assert added == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("head", "path", "forwarded"),
    [
        (HEAD % b"/git/x", "/git/x", ""),
        (HEAD % b"/%67it/x?y#z", "/git/x", ""),
        (b"\r\n" + HEAD % b"http://a/git/x", "/git/x", ""),
        (HEAD % b"/%ff", "/\ufffd", ""),
        (b"NONSENSE\r\n\r\n", "", ""),
        (
            b"GET / HTTP/1.1\r\nX-Forwarded-For: ::1\r\nx-forwarded-for:2.2.2.2, 3.3.3.3\r\n\r\n",
            "/",
            "::1,2.2.2.2, 3.3.3.3",
        ),
    ],
)
def test_the_path_and_the_addresses_are_read_as_gunicorn_and_django_read_them(
    head, path, forwarded
):
    assert path_and_forwarded(head) == (path, forwarded)
