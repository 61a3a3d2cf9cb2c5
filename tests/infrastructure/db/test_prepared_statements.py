"""Prepared statements have the rows and errors of a cursor."""

import uuid
from contextlib import nullcontext
from datetime import UTC, datetime
from decimal import Decimal

import psycopg
import pytest
from django.db import (
    DataError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from catalogue.models import Skill
from infrastructure.db import prepared_statements
from infrastructure.db.prepared_statements import PreparedStatements
from infrastructure.db.statements import fetch_all, fetch_one
from tests.factories import SkillFactory

pytestmark = pytest.mark.infrastructure


NOW = datetime(2026, 1, 31, 9, 5, 59, 999_999, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_connection(transactional_db):
    connection.close()
    connection.ensure_connection()
    yield
    connection.close()


def by_a_cursor(statement, params=()):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall()


@pytest.mark.parametrize(
    ("statement", "params"),
    [
        ("SELECT 1, NULL, true, 1.5, 'x', ARRAY[1, 2], '{\"a\": 1}'::jsonb, now() > now()", ()),
        ("SELECT 1 WHERE false", ()),
        ("SELECT * FROM generate_series(1, 300)", ()),
        ("SELECT %s::int, %s::text, %s::bool, %s::uuid", [1, "it's", None, uuid.UUID(int=7)]),
        ("SELECT %s::timestamptz, %s::numeric, %s::text[]", [NOW, Decimal("1.50"), ["a", "%s"]]),
        ("SELECT %(a)s::int + %(b)s, %(a)s::text, '100%%', '%%s'", {"b": 70_000, "a": 2, "c": 0}),
    ],
)
def test_rows_are_those_of_a_cursor(statement, params):
    expected = by_a_cursor(statement, params)

    for _ in range(8):  # PostgreSQL may change its plan after five
        assert fetch_all(statement, params) == expected


def test_datetimes_are_those_of_a_cursor():
    statement = """
        SELECT timestamptz '2026-01-31 09:05:59Z' + days * interval '1 day' + fraction
        FROM generate_series(-700000, 2900000, 99991) AS days,
            unnest('{0, 7us, .12s, .120004s, .999999s}'::interval[]) AS fraction
    """
    rows = fetch_all(statement)

    assert rows == by_a_cursor(statement)
    assert {value.tzinfo for (value,) in rows} == {UTC}


@pytest.mark.parametrize("text", ["infinity", "0044-03-15 12:00:00+00 BC"])
def test_a_datetime_that_python_cannot_hold_is_refused_as_by_psycopg(text):
    for run in (fetch_all, by_a_cursor):
        with pytest.raises(DataError):
            run("SELECT %s::timestamptz", [text])


def test_numbers_of_every_size_and_nothing_take_turns():
    for number in (1, 70_000, None, 10**10, 2, 10**20, 70_001, -1) * 2:
        assert fetch_all("SELECT %s::numeric", [number]) == [(number,)]


@pytest.mark.parametrize(
    ("statement", "error", "sqlstate"),
    [
        ("SELECT 1 / 0", DataError, "22012"),
        ("SELEC", ProgrammingError, "42601"),
        ("SELECT * FROM nowhere", ProgrammingError, "42P01"),
        ("SELECT pg_sleep(9)", OperationalError, "57014"),
        ("INSERT INTO marketplace_ratecount (key) VALUES (NULL)", IntegrityError, "23502"),
    ],
)
def test_errors_are_those_of_a_cursor_and_leave_the_connection_usable(statement, error, sqlstate):
    fetch_all("SET statement_timeout = '50ms'")
    for run in (fetch_all, by_a_cursor, fetch_all):
        with pytest.raises(error) as raised:
            run(statement)
        assert raised.value.__cause__.sqlstate == sqlstate
    assert fetch_all("SELECT 1") == [(1,)]


def test_it_is_part_of_the_transaction_that_it_runs_in():
    skill = SkillFactory(downloads=1)
    more = "UPDATE catalogue_skill SET downloads = downloads + 1 RETURNING downloads"
    assert fetch_all(more) == [(2,)]

    with transaction.atomic():
        assert fetch_all(more) == [(3,)]
        transaction.set_rollback(True)

    assert fetch_all(more) == [(3,)]
    skill.refresh_from_db()
    assert skill.downloads == 3


def test_a_transaction_runs_it_without_a_name_that_might_be_missing():
    statement = "SELECT count(*) FROM pg_prepared_statements"
    assert fetch_all(statement) == [(1,)]

    with transaction.atomic():
        fetch_all("SELECT 2")  # this one uses a cursor, which begins the transaction
        fetch_all("DEALLOCATE ALL")
        assert fetch_all(statement) == [(0,)]


def test_an_error_breaks_the_transaction_that_it_happens_in():
    with transaction.atomic():
        fetch_all("SELECT 1")
        with pytest.raises(DataError), transaction.atomic():
            fetch_all("SELECT 1 / 0")
        assert fetch_all("SELECT 1") == [(1,)]  # the savepoint was rolled back
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            fetch_all("SELECT 1")


@pytest.mark.parametrize("log", [CaptureQueriesContext, nullcontext])
def test_a_prepared_row_is_named_by_its_columns(log):
    with log(connection):
        row = fetch_one("SELECT %(a)s::int AS number, 'x' AS text", {"a": 7})

    assert (row.number, row.text) == (7, "x")
    assert fetch_one("SELECT 1 AS number WHERE false") is None


def test_it_outlives_what_a_rollback_makes_psycopg_forget():
    for _ in range(10):
        assert fetch_all("SELECT %s", ["x"]) == [("x",)]
        list(Skill.objects.all())
    with transaction.atomic():
        list(Skill.objects.all())
        transaction.set_rollback(True)

    assert fetch_all("SELECT %s", ["x"]) == [("x",)]


def test_the_server_keeps_no_more_of_them_than_it_may(monkeypatch):
    monkeypatch.setattr(prepared_statements, "MAX_STATEMENTS", 5)
    for number in (*range(20), *range(20), 19):
        assert fetch_all(f"SELECT {number}") == [(number,)]

    ((kept,),) = fetch_all("SELECT count(*) FROM pg_prepared_statements")
    assert kept == 5


def test_long_lists_of_values_are_not_kept():
    places = ", ".join(["%s"] * 51)

    assert fetch_all(f"SELECT 7 IN ({places})", list(range(51))) == [(True,)]

    kept = by_a_cursor("SELECT statement FROM pg_prepared_statements")
    assert kept == []


def test_a_log_of_queries_shows_it():
    with CaptureQueriesContext(connection) as captured:
        fetch_all("SELECT %s", ["x"])

    assert len(captured) == 1


def test_a_connection_that_was_cut_is_an_operational_error_and_then_another_one():
    ((pid,),) = fetch_all("SELECT pg_backend_pid()")
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    for _ in range(2):
        with pytest.raises(OperationalError):
            fetch_all("SELECT 1")
    connection.close_if_unusable_or_obsolete()

    assert fetch_all("SELECT 1") == [(1,)]


@pytest.mark.parametrize("spoil", ["ALTER TABLE spoilt ALTER b TYPE text", "DEALLOCATE ALL"])
def test_an_invalid_prepared_statement_is_prepared_again(spoil):
    fetch_all("CREATE TEMP TABLE spoilt AS SELECT 1 AS a, 2 AS b")
    for _ in range(2):
        assert fetch_all("SELECT * FROM spoilt") == [(1, 2)]

    fetch_all(spoil)

    expected = by_a_cursor("SELECT * FROM spoilt")
    for _ in range(2):
        assert fetch_all("SELECT * FROM spoilt") == expected
    kept = by_a_cursor("SELECT statement FROM pg_prepared_statements")
    assert kept.count(("SELECT * FROM spoilt",)) == 1


def test_a_name_means_one_statement_whoever_has_prepared_it():
    """A pooler may give one server to two clients, and one client two servers."""
    mine, other = (PreparedStatements(connection.connection) for _ in range(2))
    for number in range(3):
        for client in (mine, other):
            for statement in ("SELECT %s::int", "SELECT %s::int + 1", "SELECT %s::text"):
                assert client.fetch(statement, [number])[0] == by_a_cursor(statement, [number])
        fetch_all("DEALLOCATE ALL")


@pytest.mark.parametrize("is_enabled", [True, False])
def test_it_is_prepared_unless_that_is_disabled(is_enabled):
    statements = PreparedStatements(connection.connection, is_enabled=is_enabled)
    for _ in range(2):
        assert statements.fetch("SELECT %s::int", [7])[0] == [(7,)]

    kept = by_a_cursor("SELECT statement FROM pg_prepared_statements")
    assert kept == ([("SELECT $1::int",)] if is_enabled else [])


def test_an_unsupported_statement_is_an_error_each_time():
    for _ in range(2):
        with pytest.raises(NotSupportedError):
            fetch_all("SELECT count(*) FROM pg_class FOR UPDATE")


def test_it_is_part_of_a_transaction_begun_by_hand():
    SkillFactory(downloads=1)
    connection.set_autocommit(False)
    fetch_all("UPDATE catalogue_skill SET downloads = 2 RETURNING 1")
    connection.rollback()
    connection.set_autocommit(True)

    assert Skill.objects.get().downloads == 1


def test_an_iterator_holds_no_cursor_that_a_pooler_could_lose():
    SkillFactory.create_batch(2)
    skills = Skill.objects.iterator(chunk_size=1)
    next(skills)

    assert by_a_cursor("SELECT name FROM pg_cursors") == []
    assert len(list(skills)) == 1
