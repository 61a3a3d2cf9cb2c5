"""The undocumented parts of Django, psycopg and gunicorn that the infrastructure uses.

If one fails after an upgrade, the package has changed that name. The servers of tests/deployment
show that gunicorn's parts do what we expect. Here are only behaviors that no client notices soon.
"""

from inspect import signature
from types import SimpleNamespace

import psycopg
import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from gunicorn import util
from gunicorn.workers import gthread
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import cancel
from psycopg.pq import PGconn, PGresult
from psycopg.waiting import wait_conn

from catalogue.models import Skill
from interfaces.openapi import schema

pytestmark = pytest.mark.infrastructure

SIGNATURES = {
    DatabaseWrapper.get_new_connection: "self conn_params",
    DatabaseWrapper.make_cursor: "self cursor",
    DatabaseWrapper.is_usable: "self",
    DatabaseWrapper._close: "self",
    DatabaseWrapper.close_if_health_check_failed: "self",
    DatabaseWrapper.validate_no_broken_transaction: "self",
    CursorWrapper._execute: "self sql params ignored_wrapper_args",
    CursorWrapper._executemany: "self sql param_list ignored_wrapper_args",
    Query.get_compiler: "self using connection elide_empty",
    SQLCompiler.as_sql: "self with_limits with_col_aliases",
    SQLCompiler.get_converters: "self expressions",
    SQLCompiler.apply_converters: "self rows converters",
    psycopg.Connection.wait: "self gen interval timeout",
    cancel: "cancel_conn",
    wait_conn: "gen interval timeout",
    error_from_result: "result encoding",
    gthread.ThreadWorker.accept: "self listener",
    gthread.ThreadWorker.check_config: "cfg log",
    gthread.ThreadWorker.enqueue_req: "self conn",
    gthread.ThreadWorker.murder_keepalived: "self force",
    gthread.ThreadWorker._cap_keepalive: "self deadline",
    gthread.ThreadWorker.handle: "self conn",
    gthread.ThreadWorker.handle_request: "self req conn",
    gthread.ThreadWorker._keepalive_after: "self conn keepalive",
    gthread.ThreadWorker.handle_error: "self req client addr exc",
    gthread.ThreadWorker.run: "self",
    gthread.TConn: "cfg sock client server",
    util.write_error: "sock status_int reason mesg",
}
ATTRIBUTES = {
    Transformer: "dump_sequence set_pgresult load_rows types formats pgresult",
    PGconn: "cancel_conn exec_params prepare exec_prepared close_prepared transaction_status",
    PGresult: "status ntuples nfields fname error_field get_error_message",
    QuerySet: "_fields",
    Query: "deferred_loading annotations",
}


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_a_function_is_called_with(function):
    assert " ".join(signature(function).parameters) == SIGNATURES[function]


@pytest.mark.parametrize("owner", ATTRIBUTES, ids=lambda owner: owner.__name__)
def test_a_class_has(owner):
    instance = Skill.objects.all() if owner is QuerySet else owner
    instance = Query(Skill) if owner is Query else instance

    assert [name for name in ATTRIBUTES[owner].split() if not hasattr(instance, name)] == []


def test_djangos_backend_connects_with_its_attribute_database(transactional_db, monkeypatch):
    wrapper = DatabaseWrapper(connection.settings_dict)
    monkeypatch.setattr(wrapper, "Database", SimpleNamespace(connect=dict))

    assert wrapper.get_new_connection({"dbname": "x"}) == {"dbname": "x"}


def test_a_failed_health_check_closes_the_connection(transactional_db, monkeypatch):
    wrapper = DatabaseWrapper(connection.settings_dict)
    wrapper.ensure_connection()
    monkeypatch.setattr(wrapper, "is_usable", lambda: False)
    wrapper.health_check_enabled, wrapper.health_check_done = True, False

    wrapper.close_if_health_check_failed()

    assert wrapper.connection is None


def test_gunicorns_refusals_of_long_requests_have_the_texts_of_the_document():
    assert {status: str(error) for status, error in schema.TOO_LONG.items()} == {
        414: "Request Line is too large (5120 > 4094)",
        431: "Too many headers",
    }
