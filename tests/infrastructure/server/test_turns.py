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
def outcomes():
    """(what happened, client, number of the request) of each request."""
    return []


@pytest.fixture
def add(turns, outcomes):
    def add(client, number=1):
        turns.add(
            client,
            lambda: outcomes.append(("served", client, number)),
            lambda: outcomes.append(("refused", client, number)),
        )

    return add


@pytest.fixture
def served(turns, outcomes):
    """Ends a request that is being served, and then returns the outcomes of all others."""
    begun, go_on, ended = Event(), Event(), Event()

    def serve():
        begun.set()
        go_on.wait(30)

    turns.add("first", serve, None)
    assert begun.wait(30)

    def served():
        turns.thread.submit(ended.set)
        go_on.set()
        assert ended.wait(30)
        return outcomes

    yield served
    go_on.set()


@pytest.mark.contract("27.11")
def test_each_client_has_one_place_in_the_queue(add, served):
    for number in range(3):
        add("busy", number)
    add("other")

    assert served() == [
        ("served", "busy", 0),
        ("served", "other", 1),
        ("served", "busy", 1),
        ("served", "busy", 2),
    ]


def test_the_client_with_most_requests_makes_room(add, served):
    for number in range(5):
        add("busy", number)
    add("other")

    assert served() == [
        ("refused", "busy", 4),
        ("refused", "busy", 3),
        ("served", "busy", 0),
        ("served", "other", 1),
        ("served", "busy", 1),
        ("served", "busy", 2),
    ]


def test_the_newest_of_equally_waiting_clients_is_refused(add, served):
    for number in range(5):
        add(f"client {number}")

    assert served() == [
        ("refused", "client 4", 1),
        *(("served", f"client {number}", 1) for number in range(4)),
    ]


@pytest.mark.parametrize(
    ("head", "path", "forwarded"),
    [
        (HEAD % b"/git/x", "/git/x", ""),
        (HEAD % b"/%67it/x?y#z", "/git/x", ""),
        (b"\r\n" + HEAD % b"http://a/git/x", "/git/x", ""),
        (HEAD % b"a1+x-y.z://a/git/x", "/git/x", ""),
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
