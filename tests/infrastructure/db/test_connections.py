"""Connections whose server takes too long."""

from threading import Thread

import psycopg
import pytest

from infrastructure.db.connections import Watch, WatchedConnection
from tests.live import url_of_test_database
from tests.processes import is_within

pytestmark = pytest.mark.infrastructure


@pytest.fixture
def link(transactional_db):
    with WatchedConnection.connect(url_of_test_database(), autocommit=True) as link:
        link.max_wait = 0
        yield link


def test_a_response_that_was_given_up_is_not_used(link):
    """Like that of a commit, which is cancelled in place of its thread's wait."""
    errors = []

    def wait():
        try:
            link.execute("SELECT pg_sleep(1)")
        except psycopg.OperationalError as error:
            errors.append(str(error))

    thread = Thread(target=wait)
    thread.start()
    assert is_within(30, link.gives_up)
    thread.join()

    assert errors == ["the response came too late"]
    assert link.closed


def test_only_the_wait_that_was_overdue_is_given_up(link):
    link.execute("SELECT 1")

    assert not link.gives_up()
    assert link.execute("SELECT 2").fetchone() == (2,)


def test_a_wait_within_the_limit_is_not_given_up(link):
    link.max_wait = 60
    thread = Thread(target=link.execute, args=["SELECT pg_sleep(0.5)"])
    thread.start()
    assert is_within(30, lambda: link.waits)

    assert not link.gives_up()
    thread.join()
    assert not link.closed


def test_an_error_ends_its_wait(link):
    with pytest.raises(psycopg.errors.DivisionByZero):
        link.execute("SELECT 1 / 0")

    assert link.waits == {}


def test_the_watch_ends_a_wait_and_its_statement(link):
    link.max_wait = 0.1
    watch = Watch()
    for _ in range(2):
        watch.add(link)
    thread = watch.thread

    with pytest.raises(psycopg.OperationalError):
        link.execute("SELECT pg_sleep(60) AS forgotten")

    assert thread.is_alive()
    assert link.closed
    with WatchedConnection.connect(url_of_test_database(), autocommit=True) as other:
        running = "SELECT FROM pg_stat_activity WHERE query ~ 'forgotten$' AND state = 'active'"
        assert is_within(30, lambda: not other.execute(running).fetchall())
