"""The undocumented parts of psycopg that the database backend uses: a test for each name.

If one fails after an upgrade, psycopg has changed that name. The names are used in
infrastructure/db/connections.py and infrastructure/db/prepared_statements.py.
"""

import time
from inspect import signature
from threading import Thread

import psycopg
import pytest
from django.db import connection
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import cancel
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus
from psycopg.waiting import wait_conn

from tests.live import url_of_test_database
from tests.processes import is_within

pytestmark = pytest.mark.infrastructure

ASLEEP = "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'"


@pytest.fixture
def link(transactional_db):
    with psycopg.connect(url_of_test_database(), autocommit=True) as link:
        yield link


# Waiting: infrastructure/db/connections.py.


def test_wait_is_called_for_each_statement(link, monkeypatch):
    waits, wait = [], link.wait
    monkeypatch.setattr(
        link, "wait", lambda *arguments: waits.append(arguments) or wait(*arguments)
    )

    link.execute("SELECT 1")

    assert len(waits) == 1
    assert [*signature(psycopg.Connection.wait).parameters][:2] == ["self", "gen"]


def test_cancel_conn_cancel_and_wait_conn_end_a_statement(link):
    errors = []

    def wait():
        try:
            link.execute("SELECT pg_sleep(60)")
        except psycopg.errors.QueryCanceled as error:
            errors.append(error)

    thread = Thread(target=wait)
    thread.start()
    # The server ignores what comes before the statement.
    assert is_within(30, lambda: is_asleep(link))
    begun = time.monotonic()
    cancellation = link.pgconn.cancel_conn()
    cancellation.start()
    wait_conn(cancel(cancellation), interval=0.1, timeout=10)
    thread.join(30)

    assert len(errors) == 1
    assert time.monotonic() - begun < 30


def is_asleep(link):
    with connection.cursor() as cursor:
        cursor.execute(ASLEEP, [link.info.backend_pid])
        return cursor.fetchone() is not None


# Sending and reading: infrastructure/db/prepared_statements.py.


def test_transformer_dump_sequence_sets_types_and_formats(link):
    transformer = Transformer(link)

    dumped = transformer.dump_sequence([7, "x", None], [PyFormat.AUTO] * 3)

    assert [value and bytes(value) for value in dumped] == [b"\0\7", b"x", None]
    assert [len(transformer.types), *map(int, transformer.formats)] == [3, 1, 0, 0]


def test_transformer_set_pgresult_and_load_rows_read_a_result(link):
    transformer = Transformer(link)
    result = link.pgconn.exec_params(b"SELECT 1, 'x', NULL", None)

    transformer.set_pgresult(result)
    assert transformer.load_rows(0, result.ntuples, tuple) == [(1, "x", None)]
    transformer.set_pgresult(None, set_loaders=False)


def test_transformer_set_pgresult_of_none_lets_go_of_the_result(link):
    transformer = Transformer(link)
    transformer.set_pgresult(link.pgconn.exec_params(b"SELECT 1", None))

    transformer.set_pgresult(None, set_loaders=False)

    assert transformer.pgresult is None


def test_exec_params_takes_text_values_types_formats(link):
    result = link.pgconn.exec_params(b"SELECT $1 + 1", [b"7"], (23,), [0])

    assert (result.status, result.get_value(0, 0)) == (ExecStatus.TUPLES_OK, b"8")


def test_prepare_exec_prepared_and_close_prepared_take_a_name(link):
    prepared = link.pgconn.prepare(b"name", b"SELECT $1 + 1", (23,))
    result = link.pgconn.exec_prepared(b"name", [b"7"], [0])
    closed = link.pgconn.close_prepared(b"name")
    gone = link.pgconn.exec_prepared(b"name", [b"7"], [0])

    assert (prepared.status, closed.status) == (ExecStatus.COMMAND_OK, ExecStatus.COMMAND_OK)
    assert result.get_value(0, 0) == b"8"
    assert gone.error_field(DiagnosticField.SQLSTATE) == b"26000"


def test_ntuples_nfields_and_fname_describe_a_result(link):
    result = link.pgconn.exec_params(b"SELECT 1 AS a, 2 AS b UNION SELECT 3, 4", None)

    assert (result.ntuples, result.nfields) == (2, 2)
    assert [result.fname(i) for i in range(2)] == [b"a", b"b"]


def test_error_from_result_is_the_error_of_its_code(link):
    result = link.pgconn.exec_params(b"SELECT 1 / 0", None)
    assert result.error_field(DiagnosticField.SQLSTATE) == b"22012"

    error = error_from_result(result)

    assert type(error) is psycopg.errors.DivisionByZero
    assert "division by zero" in str(error)


def test_get_error_message_of_a_lost_connection(link):
    with psycopg.connect(url_of_test_database(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [link.info.backend_pid])

    result = link.pgconn.exec_params(b"SELECT 1", None)

    # The server's last message has a code; libpq's own errors have none.
    assert result.error_field(DiagnosticField.SQLSTATE) in {b"57P01", None}
    assert "connection" in result.get_error_message()


def test_transaction_status_of_a_pgconn(link):
    assert link.pgconn.transaction_status == TransactionStatus.IDLE
    link.execute("BEGIN")
    assert link.pgconn.transaction_status == TransactionStatus.INTRANS
