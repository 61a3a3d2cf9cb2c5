"""Connections whose server takes too long."""

from threading import Thread

import psycopg
import pytest

from infrastructure.db.connections import Connection
from tests.live import url_of_test_database
from tests.processes import is_within

pytestmark = pytest.mark.infrastructure


@pytest.fixture
def link(transactional_db):
    with Connection.connect(url_of_test_database(), autocommit=True) as link:
        link.max_wait = 0
        yield link


def test_a_response_that_was_given_up_is_not_used(link):
    """Such as that of a commit, which is cancelled in place of its thread's wait."""
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
