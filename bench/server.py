"""The Procfile's web line on a filled database, for measuring."""

import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.request

from demo.postgres import CHECKOUT

ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "marketplace.settings",
    "SECRET_KEY": "of a database that holds nothing but measurements",
    "REQUIRE_HTTPS": "false",
    "WEB_CONCURRENCY": str(os.cpu_count()),
    **{
        f"RATE_LIMIT_{policy}": "100000000/h"
        for policy in ("INSTALL", "REVIEW", "MANAGE", "REGISTER")
    },
}


def configure():
    """Complete the environment of this process and of all that it starts."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def web_line():
    (line,) = [
        line for line in (CHECKOUT / "Procfile").read_text().splitlines() if line.startswith("web:")
    ]
    return shlex.split(line.partition(":")[2])


class Server:
    """The web line, or the same gunicorn with another `application`, on a free port.

    `variables` are added to its environment: `"CACHE_BYTES=0 WORKER_CLASS=gthread"`.
    """

    def __init__(self, folder, application=None, *, variables=""):
        program, *arguments = web_line()
        self.variables = dict(variable.split("=") for variable in variables.split())
        self.command = [
            sys.executable,
            "-m",
            program,
            *([application] if application else arguments),
        ]
        self.port = free_port()
        self.log = folder / f"{' '.join([application or 'web', *variables.split()])}.log"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=CHECKOUT,
                env={**os.environ, "PORT": str(self.port), **self.variables},
                stdout=log,
                stderr=log,
            )
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{self.url}/readyz").close()
            except OSError:
                time.sleep(0.1)
            else:
                return self
        raise SystemExit(f"The server does not start; see {self.log}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
