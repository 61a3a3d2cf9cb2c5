"""A read runs on one server as a whole: on a replica if one can, otherwise on the primary."""

from types import SimpleNamespace

import psycopg
import pytest
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError

from infrastructure.replicas import reading as replicas
from infrastructure.replicas.reading import on_replica, reading

pytestmark = pytest.mark.infrastructure


@pytest.fixture
def left_out(monkeypatch):
    """Two usable replicas; returns those that are left out later."""
    left_out = []
    monitor = SimpleNamespace(
        usable=lambda: ["one", "two"],
        histories={"one": "h", "two": "h"},
        leave_out=left_out.append,
    )
    closed = SimpleNamespace(close=lambda: None)
    monkeypatch.setattr(replicas, "REPLICAS", ["one", "two"])
    monkeypatch.setattr(replicas, "monitor", monitor)
    monkeypatch.setattr(replicas, "connections", {"one": closed, "two": closed})
    return left_out


def reading_that(fails):
    """A read that fails on some servers, and the servers that it ran on."""
    servers = []

    @on_replica
    def read(*arguments):
        servers.append(reading.alias)
        if reading.alias in fails:
            raise fails[reading.alias]
        return (reading.alias, *arguments)

    return read, servers


def with_code(error):
    error.__cause__ = psycopg.errors.QueryCanceled()
    return error


def test_it_runs_on_the_first_replica(left_out):
    read, _ = reading_that({})

    assert read("argument") == ("one", "argument")
    assert (reading.alias, left_out) == (DEFAULT_DB_ALIAS, [])


def test_a_nested_read_runs_on_the_same_server(left_out):
    inner, servers = reading_that({"one": OperationalError("gone")})
    outer = on_replica(lambda: (reading.alias, inner()))

    assert outer() == ("two", ("two",))
    assert servers == ["one", "two"]


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
def test_a_replica_that_is_lost_is_left_out(left_out, error):
    read, servers = reading_that({"one": error, "two": error})

    assert read() == (DEFAULT_DB_ALIAS,)
    assert servers == ["one", "two", DEFAULT_DB_ALIAS]
    assert (reading.alias, left_out) == (DEFAULT_DB_ALIAS, ["one", "two"])


def test_a_statement_that_a_replica_cannot_run_leaves_it_in(left_out):
    read, servers = reading_that({"one": with_code(OperationalError("canceled"))})

    assert read() == ("two",)
    assert (servers, left_out) == (["one", "two"], [])


def test_other_errors_are_the_reads_own(left_out):
    read, servers = reading_that({"one": LookupError("no such skill")})

    with pytest.raises(LookupError):
        read()

    assert (servers, reading.alias, left_out) == (["one"], DEFAULT_DB_ALIAS, [])
