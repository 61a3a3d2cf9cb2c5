"""The undocumented parts of gunicorn's requests and responses that no client would notice at once.

If one fails after an upgrade, gunicorn has changed that name. The server uses them in
infrastructure/server/gunicorn_internals.py.
"""

from datetime import timedelta
from inspect import signature

import pytest
from gunicorn import glogging, util
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.http import wsgi
from gunicorn.http.parser import RequestParser

from infrastructure.server import gunicorn_internals as internals
from infrastructure.server.requests import Request
from infrastructure.server.sizes import MAX_BODY
from interfaces.openapi import schema
from tests.infrastructure.server.messages import GET, POST, parsed


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


def test_limit_request_line_and_limit_request_headers_have_texts():
    assert {status: str(error) for status, error in schema.TOO_LONG.items()} == {
        414: "Request Line is too large (5120 > 4094)",
        431: "Too many headers",
    }


# Its responses.


def test_replace_is_seen_by_gunicorn(monkeypatch):
    names = (util, "write_error"), (RequestParser, "mesg_class"), (Arbiter, "handle_hup")
    for owner, name in names:
        monkeypatch.setattr(owner, name, getattr(owner, name))  # restored after the test

    internals.replace("request", "write_error", "reload")

    assert [getattr(owner, name) for owner, name in names] == ["write_error", "request", "reload"]


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


def test_file_wrapper_has_its_file(tmp_path):
    assert wsgi.base_environ(Config())["wsgi.file_wrapper"] is internals.FileWrapper
    with (tmp_path / "x").open("wb") as file:
        assert internals.FileWrapper(file).filelike is file
