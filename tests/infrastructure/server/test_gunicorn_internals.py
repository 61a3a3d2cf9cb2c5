"""The undocumented parts of gunicorn that the server uses: a test for each name.

If one fails after an upgrade, gunicorn has changed that name. The server uses them in
infrastructure/server/gunicorn_internals.py.
"""

import os
import socket
import time
from datetime import timedelta
from http import HTTPStatus
from inspect import signature
from types import SimpleNamespace

import pytest
from gunicorn import glogging, util
from gunicorn.config import Config
from gunicorn.http import errors, message, wsgi
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import Unreader
from gunicorn.workers import gthread

from infrastructure.server import gunicorn_internals as internals
from infrastructure.server.requests import Request
from infrastructure.server.sizes import MAX_BODY
from interfaces.openapi import schema

worker_alone = pytest.mark.infrastructure  # gunicorn's own worker does not need these
GET = b"GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
PEER = "127.0.0.1", 1


class Socket(socket.socket):
    def send_collected(self):
        pass


@pytest.fixture
def ends():
    server, client = socket.socketpair()
    with Socket(fileno=server.detach()) as served, client:
        client.settimeout(5)
        yield served, client


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


def parsed(data, kind=message.Request):
    return kind(Config(), SimpleUnreader(data), PEER)


class SimpleUnreader(Unreader):
    def __init__(self, data):
        super().__init__()
        self.data = [data]

    def chunk(self, _size_hint=None):
        return self.data.pop() if self.data else b""


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


# Its requests.


def test_mesg_class_is_what_the_parser_makes(monkeypatch):
    monkeypatch.setattr(RequestParser, "mesg_class", Request)

    assert type(next(RequestParser(Config(), iter([GET]), PEER))) is Request


def test_parse_calls_ours_and_version_uri_and_headers_are(monkeypatch):
    seen = []
    monkeypatch.setattr(
        Request, "checked", lambda _, *given: seen.append(given) or ([("A", "b")], False)
    )

    request = parsed(GET, Request)

    assert seen == [((1, 1), "/x?y", [("HOST", "a")])]
    assert request.headers == [("A", "b")]
    assert not request.should_close()


def test_parse_returns_what_follows_the_head():
    assert parsed(POST + b"Content-Length: 3\r\n\r\nabc").body.read() == b"abc"


def test_force_close_ends_the_connection():
    request = parsed(GET)
    assert not request.should_close()
    request.force_close()
    assert request.should_close()


@pytest.mark.parametrize(("length", "is_last"), [(MAX_BODY - 1, False), (MAX_BODY, True)])
def test_set_body_reader_sets_body_reader_length(length, is_last):
    request = parsed(POST + b"Content-Length: %d\r\n\r\n" % length, Request)

    assert request.body.reader.length == length
    assert request.should_close() == is_last


def test_body_reader_req_is_the_request_of_a_chunked_body():
    request = parsed(POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    assert request.body.reader.req is request
    assert not hasattr(request.body.reader, "length")

    internals.end_connection(request.body)

    assert request.should_close()


@pytest.mark.parametrize("name", ["InvalidHeader", "InvalidRequestLine"])
def test_an_error_is_a_400(name, worker, monkeypatch):
    statuses = []
    monkeypatch.setattr(util, "write_error", lambda _sock, status, *_: statuses.append(status))

    worker.handle_error(None, None, PEER, getattr(internals, name)("x"))

    assert statuses == [400]


def test_limit_request_line_and_limit_request_headers_have_texts():
    assert {status: str(error) for status, error in schema.TOO_LONG.items()} == {
        414: "Request Line is too large (5120 > 4094)",
        431: "Too many headers",
    }


# Its responses.


def test_raw_uri_is_in_the_environ():
    environ = wsgi.default_environ(parsed(GET), None, Config())

    assert environ["RAW_URI"] == "/x?y"


def test_write_error_is_called_with(monkeypatch):
    assert [*signature(util.write_error).parameters] == ["sock", "status_int", "reason", "mesg"]
    calls = []
    monkeypatch.setattr(util, "write_error", lambda *arguments: calls.append(arguments))

    internals.refuse("socket", HTTPStatus.REQUEST_TIMEOUT, "Too slow")

    assert calls == [("socket", 408, "Request Timeout", "Too slow")]


def test_replace_is_seen_by_gunicorn(monkeypatch):
    for owner, name in ((util, "write_error"), (RequestParser, "mesg_class")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # restored after the test

    internals.replace("request", "write_error")

    assert (RequestParser.mesg_class, util.write_error) == ("request", "write_error")


@pytest.mark.parametrize(
    ("method", "sent", "length", "size"),
    [("GET", 2, 9, 2), ("GET", 0, 9, 9), ("GET", 0, None, 0), ("HEAD", 0, 9, 0)],
)
def test_access_logs_status_sent_and_response_length(ends, method, sent, length, size):
    class Log(internals.BaseLog):
        def log_request(self, *arguments):
            lines.append(arguments)

    lines = []
    request = parsed(GET.replace(b"GET", method.encode()))
    response = wsgi.Response(request, ends[0], Config())
    assert (response.sent, response.response_length) == (0, None)
    response.start_response("201 Created", [("Content-Length", "9")])
    assert (response.status, response.response_length) == ("201 Created", 9)
    response.sent, response.response_length = sent, length
    environ = wsgi.default_environ(request, None, Config())

    Log(Config()).access(response, request, environ, timedelta(seconds=1))

    assert lines == [(environ, "/x?y", 201, size, timedelta(seconds=1))]
    parameters = ["self", "resp", "req", "environ", "request_time"]
    assert [*signature(glogging.Logger.access).parameters] == parameters


def test_sent_counts_the_bytes_of_the_body(ends):
    response = wsgi.Response(parsed(GET), ends[0], Config())
    response.start_response("200 OK", [("Content-Length", "2")])
    response.write(b"{}")

    assert response.sent == 2


def test_file_wrapper_has_its_file(tmp_path):
    assert wsgi.base_environ(Config())["wsgi.file_wrapper"] is internals.FileWrapper
    with (tmp_path / "x").open("wb") as file:
        assert internals.FileWrapper(file).filelike is file
