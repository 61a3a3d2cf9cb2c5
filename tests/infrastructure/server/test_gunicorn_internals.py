"""The undocumented parts of gunicorn's workers that the server uses: a test for each name.

If one fails after an upgrade, gunicorn has changed that name. The server uses them in
infrastructure/server/gunicorn_internals.py.
"""

import os
import socket
import time
from inspect import signature
from types import SimpleNamespace

import pytest
from gunicorn import glogging, util
from gunicorn.config import Config
from gunicorn.http import errors
from gunicorn.http.parser import RequestParser
from gunicorn.workers import gthread

from infrastructure.server import gunicorn_internals as internals
from tests.infrastructure.server.messages import GET, PEER, POST, parsed

worker_alone = pytest.mark.infrastructure  # gunicorn's own worker does not need these


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


def run(worker):
    """One round, and the end."""
    worker.method_queue.defer(setattr, worker, "alive", False)
    worker.run()


def connection_of(worker, sock):
    conn = internals.BaseConnection(gthread.TConn(worker.cfg, sock, PEER, PEER), sock)
    conn.init()
    return conn


# The worker.


@worker_alone
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("accept", ["listener"]),
        ("enqueue_req", ["conn"]),
        ("murder_keepalived", ["force"]),
        ("_cap_keepalive", ["deadline"]),
        ("handle", ["conn"]),
        ("handle_request", ["req", "conn"]),
        ("_keepalive_after", ["conn", "keepalive"]),
        ("handle_error", ["req", "client", "addr", "exc"]),
        ("run", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_method_is_called_with(name, parameters):
    assert [*signature(getattr(gthread.ThreadWorker, name)).parameters] == ["self", *parameters]


@worker_alone
def test_check_config():
    assert [*signature(gthread.ThreadWorker.check_config).parameters] == ["cfg", "log"]
    cfg = Config()
    Worker.check_config(cfg, glogging.Logger(cfg))
    cfg.set("certfile", "a")

    with pytest.raises(RuntimeError, match="TLS needs"):
        Worker.check_config(cfg, glogging.Logger(cfg))


@worker_alone
def test_accept_calls_enqueue_req_and_counts_in_nr_conns(worker):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        worker.accept(listener)
    [(_, conn)] = worker.calls

    with client, conn.sock:
        assert (conn.client, conn.server) == (client.getsockname(), client.getpeername())
    assert (worker.nr_conns, conn.cfg) == (1, worker.cfg)


@worker_alone
def test_accept_raises_what_the_kernel_refuses(worker):
    class Listener:
        def accept(self):
            raise OSError(internals.errno.EMFILE, "")

    worker.accept(Listener())

    assert worker.calls == ["make_room"]


@worker_alone
def test_nr_conns_and_worker_connections(worker):
    worker.nr_conns = worker.worker_connections - 1
    worker.limit_connections()
    assert worker.calls == []
    worker.nr_conns += 1
    worker.limit_connections()
    assert worker.calls == ["make_room"]


@worker_alone
def test_murder_keepalived_is_called_in_each_round_and_at_the_end(worker):
    run(worker)

    rounds = [call for call in worker.calls if call[0] == "close_overdue"]
    assert rounds == [("close_overdue", False), ("close_overdue", True)]


@worker_alone
def test_cap_keepalive_is_called_once_and_stop_keepalive_linger_is_its_time(worker):
    begun = time.monotonic()
    run(worker)

    [deadline] = [call[1] for call in worker.calls if call[0] == "on_stop"]
    assert begun < deadline - internals.STOP_SECONDS < time.monotonic()


@worker_alone
def test_tpool_runs_each_thread(worker):
    run(worker)
    worker.tpool.shutdown()

    assert worker.calls.count("serve") == worker.cfg.threads == 2


@worker_alone
def test_alive_ends_the_run(worker):
    worker.alive = False
    run(worker)

    assert [call[0] for call in worker.calls if call != "serve"] == ["on_stop", "close_overdue"]


@worker_alone
def test_method_queue_defers_to_the_main_thread(worker):
    worker.nr_conns = 1
    worker.close(SimpleNamespace(close=lambda: None))
    assert worker.nr_conns == 1

    worker.method_queue.run_callbacks(None)

    assert worker.nr_conns == 0


@worker_alone
@pytest.mark.parametrize(("number", "is_kept"), [(0, True), (10**6, False)])
def test_keepalived_conns_tell_by_their_number_whether_one_is_kept(worker, ends, number, is_kept):
    served, client = ends
    worker.set_kept(range(number))
    client.sendall(GET)

    assert worker.respond_to(connection_of(worker, served)) == is_kept
    assert (b"Connection: keep-alive" in client.recv(1000)) == is_kept


@worker_alone
def test_handle_gives_the_result_of_keepalive_after(worker, ends, monkeypatch):
    served, client = ends
    monkeypatch.setattr(worker, "_keepalive_after", lambda _conn, keepalive: ("after", keepalive))
    client.sendall(GET)

    assert worker.respond_to(connection_of(worker, served)) == ("after", True)


@worker_alone
def test_finish_body_reads_the_rest_of_a_body(worker, ends):
    served, client = ends
    conn = connection_of(worker, served)
    client.sendall(POST + b"Content-Length: 3\r\n\r\nabc" + GET)

    assert worker.respond_to(conn)
    assert conn.read_ahead() == GET


@worker_alone
def test_expected_100_continue_would_send_a_second_one(worker, ends):
    expecting = POST + b"Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx"
    assert parsed(expecting)._expected_100_continue is True
    served, client = ends
    client.sendall(expecting)

    worker.respond_to(connection_of(worker, served))

    assert client.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")


@worker_alone
def test_handle_error_calls_write_error(worker, monkeypatch):
    calls = []
    monkeypatch.setattr(util, "write_error", lambda *arguments: calls.append(arguments))

    worker.handle_error(None, "socket", PEER, errors.InvalidHeader("Host is missing"))

    [(sock, status, reason, text)] = calls
    assert (sock, status, reason) == ("socket", 400, "Bad Request")
    assert "Host is missing" in text


# Its connections.


@worker_alone
def test_tconn_is_made_of(ends):
    assert [*signature(gthread.TConn).parameters] == ["cfg", "sock", "client", "server"]
    conn = gthread.TConn("cfg", ends[0], "client", "server")
    assert (conn.cfg, conn.sock, conn.client, conn.server) == ("cfg", ends[0], "client", "server")
    assert conn.parser is None


@worker_alone
def test_data_ready_keeps_handle_from_waiting(worker, ends):
    plain = gthread.TConn(worker.cfg, ends[0], PEER, PEER)
    assert plain.wait_for_data(0) is False
    plain.data_ready = True
    assert plain.wait_for_data(0) is True


@worker_alone
def test_init_makes_a_request_parser(worker, ends):
    assert type(connection_of(worker, ends[0]).parser) is RequestParser


@worker_alone
def test_parser_unreader_buf_is_read_before_the_socket(worker, ends):
    served, client = ends
    conn = connection_of(worker, served)

    assert conn.add_read_ahead(GET[:9]) == 9
    assert conn.add_read_ahead(GET[9:14]) == 14
    assert conn.read_ahead() == GET[:14]
    client.sendall(GET[14:])
    assert next(conn.parser).uri == "/x?y"
    assert conn.read_ahead() == b""


@worker_alone
def test_request_parser_reads_an_iterator(worker, ends):
    conn = connection_of(worker, ends[0])
    conn.read_from(iter([GET[:9], GET[9:]]))

    assert next(conn.parser).uri == "/x?y"


@pytest.mark.parametrize("name", ["InvalidHeader", "InvalidRequestLine"])
def test_an_error_is_a_400(name, worker, monkeypatch):
    statuses = []
    monkeypatch.setattr(util, "write_error", lambda _sock, status, *_: statuses.append(status))

    worker.handle_error(None, None, PEER, getattr(internals, name)("x"))

    assert statuses == [400]
