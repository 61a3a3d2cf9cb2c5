"""With SENTRY_DSN, crashes are reported to Sentry without secrets and request bodies."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import brotli
import pytest

from tests.environments import start
from tests.factories import AgentFactory
from tests.live import LiveServer
from tests.processes import is_within

pytestmark = pytest.mark.servers

REGISTER = "/api/v1/agents/register"


@pytest.fixture
def sentry():
    """A server that receives Sentry's envelopes: its DSN, and the envelopes."""
    envelopes = []

    class ErrorsHandler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            unpack = {"br": brotli.decompress, "gzip": gzip.decompress}
            envelopes.append(unpack[self.headers["Content-Encoding"]](body).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), ErrorsHandler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://key@127.0.0.1:{server.server_port}/1", envelopes
        server.shutdown()


@pytest.mark.slow
def test_a_crash_is_reported_without_secrets_and_bodies(transactional_db, tmp_path, sentry):
    dsn, envelopes = sentry
    token = AgentFactory().token.text
    # Without its tables, each request to the database crashes.
    environment = {"SENTRY_DSN": dsn, "PGOPTIONS": "-c search_path=nowhere"}
    with LiveServer(tmp_path / "server.log", environment, ready="/healthz") as server:
        path = f"{REGISTER}?t={token}"
        assert server.request("POST", path, {"name": "in-the-body"}, token=token).status == 500
        assert is_within(60, lambda: "UndefinedTable" in "".join(envelopes))

    text = "".join(envelopes)
    assert REGISTER in text
    assert "[masked]" in text
    assert token.rpartition("_")[2] not in text
    assert "in-the-body" not in text
    # Local variables hold values made from the body.
    assert '"vars"' not in text


SEND = """
import sentry_sdk
from wsgiref.util import setup_testing_defaults
from gunicorn.http.wsgi import FileWrapper
from infrastructure.server.uploads import BodyAwaited
from marketplace.wsgi import application

environ = {"PATH_INFO": "/static/icon.svg", "QUERY_STRING": "", "wsgi.file_wrapper": FileWrapper}
setup_testing_defaults(environ)
response = application(environ, lambda *_: None)
print(type(response).__name__)
response.close()
print(sentry_sdk.capture_exception(BodyAwaited()), sentry_sdk.capture_exception(OSError()) != None)
"""


@pytest.mark.slow
def test_files_and_bodies_are_left_to_the_server(sentry):
    """It sends the file of a response of this type without reading it, and reads bodies late."""
    dsn, _ = sentry
    variables = {"ALLOWED_HOSTS": "127.0.0.1", "REQUIRE_HTTPS": "false"}

    done = start("-c", SEND, SENTRY_DSN=dsn, **variables)

    assert (done.stdout, done.returncode) == ("FileWrapper\nNone True\n", 0), done.stderr


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"SENTRY_DSN": "sentry"}, "SENTRY_DSN must look like https://key@sentry.example.com/1."),
        (
            {"SENTRY_DSN": "https://key@sentry.example/1", "PYTHONPATH": "WITHOUT"},
            "SENTRY_DSN is set, but sentry-sdk is not installed: pip install 'sentry-sdk~=2.75'.",
        ),
    ],
    ids=["a wrong value", "the package is missing"],
)
def test_it_stops_the_start(tmp_path, variables, text):
    (tmp_path / "sentry_sdk.py").write_text("raise ImportError")
    variables = {name: value.replace("WITHOUT", str(tmp_path)) for name, value in variables.items()}

    done = start("manage.py", "check", **variables)

    assert (done.returncode, done.stderr) == (1, f"{text}\n")
