"""The undocumented parts of Django, psycopg and gunicorn that the infrastructure uses.

If one fails after an upgrade, the package has changed that name. Other tests show that they do what
we expect; here are only the behaviors that no client would notice at once.
"""

import os
import socket
import time
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
from gunicorn import glogging, util
from gunicorn.config import Config
from gunicorn.workers import gthread
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.generators import cancel
from psycopg.pq import PGconn, PGresult
from psycopg.waiting import wait_conn

from catalogue.models import Skill
from infrastructure.server import gunicorn_internals as internals
from tests.infrastructure.server.messages import GET, PEER, POST, parsed

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


class Worker(internals.BaseWorker):
    """Records what gunicorn calls."""

    def __init__(self):
        cfg = Config()
        cfg.set("threads", 2)
        super().__init__(0, os.getppid(), [], None, 30, cfg, glogging.Logger(cfg))
        self.calls = []
        self.wsgi = lambda environ, start: start("200 OK", [("Content-Length", "2")]) and [b"{}"]
        # Like `init_process`, which would begin to serve.
        self.tpool = self.get_thread_pool()
        self.poller = gthread.selectors.DefaultSelector()
        self.method_queue.init()

    def serve(self):
        self.calls.append("serve")

    def on_accept(self, conn):
        self.calls.append(("on_accept", conn))

    def make_room(self):
        self.calls.append("make_room")

    def close_overdue(self, *, force):
        self.calls.append(("close_overdue", force))
        assert len(self.calls) <= 5, "`alive` no longer ends the run"

    def on_stop(self, deadline):
        self.calls.append(("on_stop", deadline))


@pytest.fixture
def worker():
    worker = Worker()
    yield worker
    worker.tmp.close()
    worker.tpool.shutdown()
    worker.method_queue.close()


def connection_of(worker, sock):
    conn = internals.BaseConnection(gthread.TConn(worker.cfg, sock, PEER, PEER), sock)
    conn.init()
    return conn


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_a_function_is_called_with(function):
    assert " ".join(signature(function).parameters) == SIGNATURES[function]


@pytest.mark.parametrize("owner", ATTRIBUTES, ids=lambda owner: owner.__name__)
def test_a_class_has(owner):
    instance = Skill.objects.all() if owner is QuerySet else owner
    instance = Query(Skill) if owner is Query else instance

    assert [name for name in ATTRIBUTES[owner].split() if not hasattr(instance, name)] == []


# Django


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


# gunicorn


def test_a_run_asks_in_each_round_and_at_its_end(worker):
    begun = time.monotonic()
    worker.method_queue.defer(setattr, worker, "alive", False)
    worker.run()
    worker.tpool.shutdown()

    assert worker.calls.count("serve") == worker.cfg.threads == 2
    [first, (stop, deadline), last] = [call for call in worker.calls if call != "serve"]
    assert (first, stop, last) == (("close_overdue", False), "on_stop", ("close_overdue", True))
    assert begun < deadline - internals.STOP_SECONDS < time.monotonic()


def test_a_new_connection_is_counted(worker):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        worker.accept(listener)
    [(_, conn)] = worker.calls

    with client, conn.sock:
        assert (conn.client, conn.server) == (client.getsockname(), client.getpeername())
    assert (worker.nr_conns, conn.cfg, conn.parser) == (1, worker.cfg, None)


def test_running_out_of_descriptors_makes_room(worker):
    class Listener:
        def accept(self):
            raise OSError(internals.errno.EMFILE, "")

    worker.accept(Listener())

    assert worker.calls == ["make_room"]


def test_there_is_room_below_the_limit_of_connections(worker):
    worker.nr_conns = worker.worker_connections - 1
    worker.limit_connections()
    assert worker.calls == []
    worker.nr_conns += 1
    worker.limit_connections()
    assert worker.calls == ["make_room"]


def test_a_closed_connection_is_counted_out_by_the_main_thread(worker):
    worker.nr_conns = 1
    worker.close(SimpleNamespace(close=lambda: None))
    assert worker.nr_conns == 1

    worker.method_queue.run_callbacks(None)

    assert worker.nr_conns == 0


@pytest.mark.parametrize(("number", "is_kept"), [(0, True), (10**6, False)])
def test_the_number_of_kept_connections_decides_about_another_one(worker, ends, number, is_kept):
    served, client = ends
    worker.set_kept(range(number))
    client.sendall(GET)

    assert worker.respond_to(connection_of(worker, served)) == is_kept
    assert (b"Connection: keep-alive" in client.recv(1000)) == is_kept


def test_the_rest_of_a_body_is_read_before_the_next_request(worker, ends):
    served, client = ends
    conn = connection_of(worker, served)
    client.sendall(POST + b"Content-Length: 3\r\n\r\nabc" + GET)

    assert worker.respond_to(conn)
    assert conn.read_ahead() == GET


def test_no_second_100_continue_is_sent(worker, ends):
    expecting = POST + b"Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx"
    assert parsed(expecting)._expected_100_continue is True
    served, client = ends
    client.sendall(expecting)

    worker.respond_to(connection_of(worker, served))

    assert client.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_connection_with_data_is_not_waited_for(worker, ends):
    plain = gthread.TConn(worker.cfg, ends[0], PEER, PEER)
    assert plain.wait_for_data(0) is False
    plain.data_ready = True
    assert plain.wait_for_data(0) is True


def test_bytes_read_ahead_come_before_the_socket(worker, ends):
    served, client = ends
    conn = connection_of(worker, served)

    assert conn.add_read_ahead(GET[:9]) == 9
    assert conn.add_read_ahead(GET[9:14]) == 14
    assert conn.read_ahead() == GET[:14]
    client.sendall(GET[14:])
    assert next(conn.parser).uri == "/x?y"
    assert conn.read_ahead() == b""


@pytest.mark.parametrize("name", ["InvalidHeader", "InvalidRequestLine"])
def test_an_error_is_a_400(name, worker, monkeypatch):
    calls = []
    monkeypatch.setattr(util, "write_error", lambda *arguments: calls.append(arguments))

    worker.handle_error(None, "socket", PEER, getattr(internals, name)("Host is missing"))

    [(sock, status, reason, text)] = calls
    assert (sock, status, reason) == ("socket", 400, "Bad Request")
    assert "Host is missing" in text
