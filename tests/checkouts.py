"""Checkouts of the project in separate folders, to run `make demo` in."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from demo.__main__ import end_with_parent
from demo.postgres import CHECKOUT, USER, Postgres
from tests.database import kept_cluster
from tests.live import LiveServer, free_port
from tests.processes import description, is_within, processes_with

ME = "/api/v1/agents/me"


def begin_as_on_a_terminal():
    # A shell runs background jobs with SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()  # a killed pytest leaves no demo


class Demo(LiveServer):
    """`make demo` in a separate folder."""

    def __init__(self, folder):
        self.folder, self.log, self.port = folder, folder.parent / "log", free_port()
        self.socket = Postgres(folder / ".demo" / "postgres").socket
        self.process = None
        self.variables = {}

    @property
    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        return {**kept, "PORT": str(self.port), **self.variables}

    def begin(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["make", "demo"],
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # so that a signal to its group is a Ctrl-C
                preexec_fn=begin_as_on_a_terminal,  # noqa: PLW1509
            )

    def start(self):
        self.begin()
        assert is_within(120, self.is_ready), self.output()
        assert self.socket.exists()

    def is_ready(self):
        # The log belongs to this start; the server of an earlier one could still answer the port.
        try:
            return "Listening at" in self.output() and self.request("GET", "/readyz").status == 200
        except OSError:
            return False

    def output(self):
        return self.log.read_text(errors="replace")

    def processes(self, program=""):
        """The processes of this folder whose command line contains the text."""
        pids = processes_with(self.folder)
        return [pid for pid in pids if program.encode() in description(pid).partition(b"\n")[0]]

    def is_making_the_database(self):
        return any(self.folder.glob(".demo/*/PG_VERSION")) and self.processes("initdb")

    def is_gone(self):
        return self.processes() == [] and not self.socket.exists()

    def terminate(self):
        """SIGTERM to make; returns what remains of the demo, which should be nothing."""
        self.process.send_signal(signal.SIGTERM)
        return self.leftovers()

    def leftovers(self, timeout=60):
        """The programs and the socket that still exist after the demo should have ended."""
        self.process.wait(timeout)
        is_within(timeout, self.is_gone)
        programs = [description(pid).partition(b"\n")[0] for pid in self.processes()]
        return programs + [self.socket] * self.socket.exists()

    def clean_up(self):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait(60)
        is_within(30, lambda: self.processes() == [])
        shutil.rmtree(self.socket, ignore_errors=True)

    def customer(self):
        """Register an agent that installs a skill; returns its token."""
        registered = self.request("POST", "/api/v1/agents/register", {"name": "First Customer"})
        token = registered.json()["token"]
        installed = self.request(
            "POST", f"{ME}/skills/install", {"slug": "pdf-tables"}, token=token
        )
        assert (registered.status, installed.status) == (201, 201)
        return token

    def skills_of(self, token):
        profile = self.request("GET", ME, token=token).json()
        return [skill["slug"] for skill in profile.get("skills", [])]


def bare_checkout(folder):
    """The files of a clone, and a .venv that make accepts as finished."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)
    environment = folder / ".venv"
    environment.mkdir()
    for entry in Path(sys.prefix).iterdir():
        if entry.name != ".ready":
            (environment / entry.name).symlink_to(entry)
    os.utime(folder / "requirements-dev.txt", (0, 0))
    (environment / ".ready").touch()
    return folder


def migrated_checkout(folder, database="postgres"):
    """A bare checkout whose demo finds an empty database that is migrated already.

    `database` is its folder below `.demo`.
    """
    data = bare_checkout(folder) / ".demo" / database
    data.parent.mkdir(parents=True)
    copied(kept_cluster(), data)
    with Postgres(data) as server:
        login = ("-h", server.socket, "-U", USER)
        server.run("dropdb", *login, "--maintenance-db=template1", "postgres")
        server.run("createdb", *login, "-T", "migrated", "postgres")
    return folder


def copied(folder, to):
    # cp keeps the owner: if the tests run as root, PostgreSQL's files belong to another user.
    subprocess.run(["cp", "-a", folder, to], check=True)
    return to
