"""A real server for tests: gunicorn with the project's own configuration, on the test database."""

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote
from uuid import uuid4

from django.db import connection

from demo.postgres import CHECKOUT
from tests.forks import GUNICORN, Fork
from tests.processes import is_within


@dataclass
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


class LiveServer:
    """As a context manager, it runs."""

    folder = CHECKOUT
    ready = "/readyz"

    def __init__(self, log, environment, application="marketplace.wsgi", *, ready="/readyz"):
        """`environment` may name another DATABASE_URL than that of the tests.

        It has started when `ready` responds: /healthz is up without a database.
        """
        self.log, self.ready = log, ready
        self.command = [*GUNICORN, application]
        self.port = free_port()
        self.environment = {
            **os.environ,
            "DATABASE_URL": url_of_test_database(),
            "PORT": str(self.port),
            # A test about several processes asks for them, because starting one takes a second.
            "WEB_CONCURRENCY": "1",
            "WEB_THREADS": "4",
            "ACCESS_LOG": "true",
            **({"TMPDIR": str(log.parent)} if log else {}),
            **environment,
        }

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.process = self.run()
        assert is_within(60, self.is_ready), f"it does not start:\n{self.log.read_text()}"

    def run(self):
        # Another checkout, or modules imported as Python starts, need a process of their own.
        is_usual = self.folder == CHECKOUT and "PYTHONPATH" not in self.environment
        if is_usual and self.command[:-1] == GUNICORN:
            return Fork(self.command, self.environment, self.log)
        with self.log.open("w") as log:
            return subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )

    def is_ready(self):
        try:
            return self.request("GET", self.ready).status == 200
        except OSError:
            return False

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def request(self, method, path, body=None, *, token=None, headers=None):
        """One request on a new connection; a dict as body is sent as JSON."""
        headers = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            link.request(method, path, body, headers)
            response = link.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            link.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def raw(self, data):
        """Send bytes unchanged; returns everything that comes back."""
        with self.connect() as link:
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
            received = b""
            while chunk := link.recv(65536):
                received += chunk
        return received


class SharedServers:
    """Running servers, one per environment; the least recently used one is stopped first."""

    MAX_RUNNING = 4

    def __init__(self, folder):
        self.folder = folder
        self.running = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.running.values():
            server.stop()

    def of(self, **environment):
        key = tuple(sorted(environment.items()))
        server = self.running.pop(key, None) or self.start(environment)
        self.running[key] = server
        return server

    def start(self, environment):
        if len(self.running) == self.MAX_RUNNING:
            self.running.pop(next(iter(self.running))).stop()
        server = LiveServer(self.folder / f"{uuid4()}.log", environment)
        server.start()
        return server


def url_of_test_database():
    settings = connection.settings_dict
    login = settings["USER"] + (f":{settings['PASSWORD']}" if settings["PASSWORD"] else "")
    host = quote(settings["HOST"], safe="") + (f":{settings['PORT']}" if settings["PORT"] else "")
    return f"postgres://{login}@{host}/{settings['NAME']}"


def free_port():
    """A free port, below those that systems give to outgoing connections.

    One of those might be taken by a connection before the server listens on it.
    """
    while True:
        # The tests of Hypothesis draw the same numbers from `random` each time.
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
