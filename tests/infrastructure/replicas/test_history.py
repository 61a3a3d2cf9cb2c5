"""The history of rows that a server has."""

from datetime import UTC, datetime

import pytest
from django.db import NotSupportedError, OperationalError, ProgrammingError, connection

from infrastructure.replicas import history

pytestmark = pytest.mark.infrastructure


@pytest.fixture(autouse=True)
def forget_warnings():
    history.warn.cache_clear()
    yield
    history.warn.cache_clear()


def by_a_cursor(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_it_is_the_cluster_its_timeline_and_its_start(db):
    cluster, timeline, start = history.read_history(by_a_cursor).split("/")

    [(identifier, number, started_at)] = by_a_cursor(
        "SELECT system_identifier, timeline_id, pg_postmaster_start_time()"
        " FROM pg_control_system(), pg_control_checkpoint()"
    )
    assert cluster == str(identifier)
    assert int(timeline, 16) == number
    assert datetime.fromtimestamp(float(start), UTC) == started_at


@pytest.mark.parametrize("error", [ProgrammingError, NotSupportedError])
def test_a_database_that_does_not_say_it_is_warned_of_once(error, caplog):
    def fail(_):
        raise error("permission denied\nDETAIL: more")

    assert [history.read_history(fail) for _ in range(2)] == ["unknown"] * 2

    [line] = caplog.messages
    assert line.endswith(": permission denied")


def test_a_lost_connection_is_no_history(caplog):
    def fail(_):
        raise OperationalError("gone")

    with pytest.raises(OperationalError):
        history.read_history(fail)
    assert caplog.messages == []
