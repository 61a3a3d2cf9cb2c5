"""The whole marketplace on this machine: database, demo catalogue, an administrator, the server.

python -m demo              starts it all (make demo)
python -m demo --private    the same as a private marketplace (make demo ARGS=--private)
python -m demo --sign-in    a private one whose people sign in at an identity provider, which it starts, too
python -m demo COMMAND...   runs a management command on its database (make manage)
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import psycopg
from django.core.exceptions import ImproperlyConfigured

from demo import source, welcome
from demo.earlier import MISSING, write_earlier
from demo.postgres import CHECKOUT, database
from demo.provider import DemoProvider
from marketplace.environment import whole_number

HERE = Path(__file__).resolve().parent
STATE = CHECKOUT / ".demo"
OPERATOR_KEY = STATE / "operator_key"  # of the operator who has the most agents

OTHER_VERSION = """\
This database was made by another version of the marketplace: this checkout has no migration {name}.
Remove the folder .demo/postgres, or set DATABASE_URL to an empty database. Then run `make demo`,
which fills a new one. The data of the old one cannot be converted.
"""
DEFAULTS = {
    "REQUIRE_HTTPS": "false",
    "ACCESS_LOG": "true",
    "WEB_CONCURRENCY": "2",
    # Somebody who tries it out registers often, and always from one address.
    "RATE_LIMIT_REGISTER": "10000/h",
    "SUBMISSIONS": "claimed",
}
PRIVATE = {"REGISTRATION": "invitation", "CATALOGUE": "members"}


def main():
    # SIGTERM raises an exception, so that every context manager stops what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    STATE.mkdir(exist_ok=True)
    for name, value in {"SECRET_KEY": kept_secret("secret_key"), **DEFAULTS}.items():
        os.environ.setdefault(name, value)
    has_provider = sys.argv[1:] == ["--sign-in"]
    is_private = has_provider or sys.argv[1:] == ["--private"]
    if is_private:
        os.environ.update(PRIVATE)
    elif command := sys.argv[1:]:
        if url := url_of_running_demo():
            os.environ["PORT"] = url.rpartition(":")[2]  # which doctor requests
        with database(STATE / "postgres"):
            refuse_other_version()
            sys.exit(manage(*command))
    try:
        port = whole_number("PORT", default=8000, low=1, high=65535)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    with only_demo(f"http://127.0.0.1:{port}"), contextlib.ExitStack() as stack:
        refuse_taken(port)
        if has_provider:
            # Beside the server, because people are known by the address of their provider.
            refuse_taken(port + 1)
            provider = stack.enter_context(DemoProvider(port + 1, kept_secret("oidc_secret")))
            os.environ.update(provider.environment())
        repository = STATE / "git/skills"
        source.make_repository(repository)
        with database(STATE / "postgres", alone=True), source.served(repository) as address:
            source.allow(address)
            prepare(address)
            serve(port, is_private=is_private)


@contextlib.contextmanager
def only_demo(url):
    """Take the lock of the checkout; exit with the URL of its demo where one is running."""
    with (STATE / "demo.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            sys.exit(f"The demo of this checkout is running already, at {lock.read()}")
        lock.truncate(0)
        lock.write(url)
        lock.flush()
        yield


def url_of_running_demo():
    """The URL of the checkout's demo, which holds the lock; "" if none is running."""
    with (STATE / "demo.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            return lock.read()
    return ""


def refuse_taken(port):
    """Exit with a free port where this one is in use."""
    end = time.monotonic() + 3  # seconds that the server of a killed demo may need to end
    while not is_free(port):
        if time.monotonic() > end:
            other = next(filter(is_free, [*range(port + 1, 65536), *range(8000, port)]))
            sys.exit(f"Port {port} is in use; try PORT={other} make demo")
        time.sleep(0.1)


def is_free(port):
    """Whether gunicorn could bind the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.errno != errno.EADDRINUSE
    return True


def prepare(address=""):
    """Migrate, fill an empty database, and see that there is an administrator.

    With the address of the demo's repository, there is also a source.
    """
    refuse_other_version()
    run("migrate", "--verbosity", "0")
    # Somebody who has imported other skills wants to see those.
    if is_empty("SELECT FROM catalogue_skill WHERE source !~ '^(demo|git:demo-skills):' LIMIT 1"):
        fill()
        if address:
            source.follow(address, run_code)
    os.environ["DJANGO_SUPERUSER_PASSWORD"] = kept_secret("admin_password", size=9)
    # Fails where the administrator exists, which is fine.
    manage("createsuperuser", "--no-input", "--username", "admin", "--email", "", quietly=True)


def fill():
    """Import the demo's catalogue, and past activity, so that it can be seen in use."""
    # A catalogue that is not empty is not imported again.
    for kind in ("skill", "persona"):
        if is_empty(f"SELECT FROM catalogue_{kind} LIMIT 1"):
            import_all(f"{kind}s")
    if os.environ.get("DEMO_ACTIVITY") != "0" and is_empty("SELECT FROM agents_agent LIMIT 1"):
        run_code(f"from demo.activity import fill; fill({str(OPERATOR_KEY)!r})")


def import_all(kind):
    """Import the entries of a kind, and the earlier texts of some of them first."""
    for missing in MISSING:
        with tempfile.TemporaryDirectory() as folder:
            write_earlier(kind, missing, folder)
            run(f"import_{kind}", folder, "--source", "demo")
    run(f"import_{kind}", HERE / kind, "--source", "demo")


def refuse_other_version():
    """Exit where the database has a migration that this checkout does not have."""
    files = {(path.parts[-3], path.stem) for path in CHECKOUT.glob("*/migrations/0*.py")}
    own = [sorted({app for app, _ in files})]
    query = "SELECT app, name FROM django_migrations WHERE app = ANY(%s) ORDER BY id"
    try:
        with psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=5) as link:
            unknown = [".".join(row) for row in link.execute(query, own) if row not in files]
    except psycopg.Error:
        return  # An empty database; or a wrong URL, which the command itself says without secrets.
    if unknown:
        sys.exit(OTHER_VERSION.format(name=unknown[0]).strip())


def run(*command):
    if status := manage(*command):
        sys.exit(status)


def run_code(code):
    run("shell", "--no-imports", "--command", code)


def operator_key():
    """The key that the activity left, or "" if this database has it no longer."""
    key = OPERATOR_KEY.read_text() if OPERATOR_KEY.exists() else ""
    usable = "SELECT FROM agents_operatorkey WHERE digest = %s AND revoked_at IS NULL"
    return "" if is_empty(usable, sha256(key.encode()).hexdigest()) else key


def is_empty(query, *values):
    with psycopg.connect(os.environ["DATABASE_URL"]) as link:
        return link.execute(query, values).fetchone() is None


def serve(port, *, is_private):
    """Run the Procfile's web and clock until the web server ends or this process is stopped."""
    words = {"url": f"http://127.0.0.1:{port}", "password": kept_secret("admin_password")}
    if is_private:
        words["invitation"] = output_of("issue_invitation", "--uses", "10", "--note", "The demo's")
    text = welcome.WELCOME_MEMBERS if is_private else welcome.WELCOME
    if key := operator_key():
        words["key"] = key
        text += welcome.WELCOME_OPERATOR
    if provider := os.environ.get("OIDC_ISSUER"):
        words["provider"] = provider
        text += welcome.WELCOME_PEOPLE
    print(text.format(**words), flush=True)
    processes = [
        start("-m", "gunicorn", "marketplace.wsgi", "--bind", f"127.0.0.1:{port}"),
        start("manage.py", "sync_sources", "--every", "1"),
    ]
    try:
        sys.exit(processes[0].wait())
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def start(*arguments):
    """Start a process of the Procfile."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        # This process forwards Ctrl-C: a gunicorn worker that gets it twice hangs.
        start_new_session=True,
        preexec_fn=end_with_parent,  # noqa: PLW1509
    )


def end_with_parent():
    """On Linux: end the server with a killed demo, which frees the port."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGTERM)


def manage(*arguments, quietly=False):
    """Run a management command; returns its exit status."""
    command = [sys.executable, CHECKOUT / "manage.py", *arguments]
    output = subprocess.DEVNULL if quietly else None
    return subprocess.call(
        [str(part) for part in command], cwd=CHECKOUT, stdout=output, stderr=output
    )


def output_of(*arguments):
    """What a management command prints."""
    command = [sys.executable, str(CHECKOUT / "manage.py"), *arguments]
    return subprocess.check_output(command, cwd=CHECKOUT, text=True).strip()


def kept_secret(name, size=50):
    """A secret of this checkout, made on the first start."""
    path = STATE / name
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(size))
    return path.read_text()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
