"""The readable replicas, by the position of each server in the log."""

import time
from types import SimpleNamespace

import pytest
from django.db import DEFAULT_DB_ALIAS

from infrastructure.replicas import monitor as watching
from infrastructure.replicas.monitor import Monitor

pytestmark = pytest.mark.infrastructure


@pytest.fixture
def monitor(monkeypatch):
    """A monitor of two replicas without its threads; the primary has the history "h"."""
    monkeypatch.setattr(watching, "REPLICAS", ["one", "two"])
    databases = {DEFAULT_DB_ALIAS: {}, "one": {}, "two": {}}
    settings = SimpleNamespace(DATABASES=databases, REPLICA_MAX_LAG=1)
    monkeypatch.setattr(watching, "settings", settings)
    monitor = Monitor()
    monitor.is_running = True
    monitor.histories[DEFAULT_DB_ALIAS] = "h"
    return monitor


@pytest.mark.parametrize(
    ("position", "history", "problem"),
    [
        (110, "h", None),
        (120, "h", None),
        (109, "h", "it is behind the primary"),
        (None, "h", "it is not a replica"),
        (110, "g", "it does not follow the primary"),
        (110, None, "it does not follow the primary"),
    ],
)
def test_a_replica_must_have_what_the_primary_had_a_second_ago(monitor, position, history, problem):
    now = time.monotonic()
    monitor.positions.extend([(now - 2, 100), (now - 1, 110), (now, 120)])

    assert monitor.note_replica("one", now, position, history) == problem
    assert monitor.usable() == ([] if problem else ["one"])


def test_no_replica_is_usable_before_the_primary_is_known(monitor):
    assert monitor.note_replica("one", time.monotonic(), 100, "h") == "it is behind the primary"


def test_a_replica_is_usable_for_as_long_as_it_may_be_behind(monitor, monkeypatch):
    now = time.monotonic()
    monitor.positions.append((now - 1, 100))
    monitor.note_replica("one", now, 100, "h")
    for seconds, usable in ((0.9, ["one"]), (1.1, [])):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: now + seconds)

        assert monitor.usable() == usable


def noted(monitor, *aliases):
    now = time.monotonic()
    monitor.positions.append((now - 1, 100))
    for alias in aliases:
        assert monitor.note_replica(alias, now, 100, "h") is None


def test_one_that_is_left_out_is_usable_once_it_is_noted_again(monitor):
    noted(monitor, "one", "two")
    monitor.leave_out("one")
    assert monitor.usable() == ["two"]

    noted(monitor, "one")

    assert {*monitor.usable()} == {"one", "two"}


def test_after_a_failover_no_replica_with_the_old_history_is_usable(monitor):
    noted(monitor, "one")

    monitor.histories[DEFAULT_DB_ALIAS] = "after the failover"

    assert monitor.usable() == []


@pytest.mark.parametrize(("thread", "order"), [(4, ["one", "two"]), (5, ["two", "one"])])
def test_each_thread_has_a_replica_that_it_asks_first(monitor, monkeypatch, thread, order):
    noted(monitor, "one", "two")
    monkeypatch.setattr(watching.threading, "get_native_id", lambda: thread)

    assert monitor.usable() == order


@pytest.mark.parametrize(("stored", "statements"), [("h2", []), ("h", [["h2"]]), (None, [["h2"]])])
def test_the_name_of_a_new_history_is_stored_once(monitor, monkeypatch, stored, statements):
    class Primary:
        history = "h2"

        def fetch(self, statement, params):
            assert statement == watching.NOTE_HISTORY
            parameters.append(params)

    parameters = []
    monkeypatch.setattr(watching, "connections", {DEFAULT_DB_ALIAS: Primary()})

    assert monitor.note_primary(DEFAULT_DB_ALIAS, 10, 100, stored) is None

    assert parameters == statements
    assert monitor.histories[DEFAULT_DB_ALIAS] == "h2"
    assert [*monitor.positions] == [(10, 100)]


def test_a_change_is_logged_once(monitor, caplog):
    for problem in ("gone\nDETAIL: more", "gone", "away", None, None):
        monitor.log_change("one", problem)

    assert caplog.messages == ["one cannot be read: gone", "one can be read again"]
