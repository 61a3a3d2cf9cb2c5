"""Recurring statements on Django's own backend (PLAIN=1), and which server each asks."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection
from django.db.backends.postgresql.base import DatabaseWrapper

from infrastructure.db import statements
from infrastructure.db.statements import fetch_all, fetch_one
from infrastructure.replicas.reading import reading


@pytest.fixture(autouse=True)
def plain(transactional_db, monkeypatch):
    """Django's own backend; test_prepared_statements.py has the same of ours."""
    own = DatabaseWrapper(connection.settings_dict)
    monkeypatch.setattr(statements, "connections", {DEFAULT_DB_ALIAS: own})
    yield
    own.close()


@pytest.mark.parametrize(
    ("statement", "params", "rows"),
    [
        ("SELECT 1, 'x', NULL, ARRAY[1.5]", (), 1),
        ("SELECT * FROM generate_series(1, %s)", [3], 3),
        ("SELECT %(b)s::text, %(a)s::int, %(b)s::text, '100%%'", {"a": 1, "b": "y"}, 1),
        ("SELECT 1 WHERE false", (), 0),
    ],
)
def test_all_rows_are_tuples(statement, params, rows):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        expected = cursor.fetchall()

    for _ in range(2):
        assert fetch_all(statement, params) == expected
    assert len(expected) == rows


def test_a_row_is_named_by_its_columns_on_djangos_own_backend():
    row = fetch_one("SELECT %s::int AS number, 'x' AS text, 1, 2", [7])

    assert (row.number, row.text, row[2:]) == (7, "x", (1, 2))
    assert fetch_one("SELECT 1 AS number WHERE false") is None


def test_the_first_of_several_rows():
    assert fetch_one("SELECT n FROM generate_series(5, 9) AS n").n == 5


def test_errors_are_djangos():
    for _ in range(2):
        with pytest.raises(IntegrityError):
            fetch_all("INSERT INTO marketplace_ratecount (key) VALUES (NULL)", writes=True)


class PlainServer:
    """A connection of Django's own backend, and its cursor, whose one row is its name."""

    description = [SimpleNamespace(name="name")]

    def __init__(self, name):
        self.name = name

    def cursor(self):
        return nullcontext(self)

    def execute(self, *_):
        pass

    def fetchall(self):
        return [(self.name,)]


class OurServer:
    """The same for our backend."""

    def __init__(self, name):
        self.name = name

    def fetch(self, *_):
        return [(self.name,)], statements.named_row(("name",))


@pytest.mark.parametrize("kind", [OurServer, PlainServer])
@pytest.mark.parametrize(("writes", "server"), [(False, "replica"), (True, DEFAULT_DB_ALIAS)])
def test_statements_that_write_run_on_the_primary(monkeypatch, kind, writes, server):
    servers = {name: kind(name) for name in ("replica", DEFAULT_DB_ALIAS)}
    monkeypatch.setattr(statements, "connections", servers)
    monkeypatch.setattr(reading, "alias", "replica")

    assert fetch_all("SELECT", writes=writes) == [(server,)]
    assert fetch_one("SELECT", writes=writes).name == server
