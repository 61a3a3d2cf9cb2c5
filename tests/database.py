"""Starts the tests' PostgreSQL before Django reads its settings (pytest's option -p)."""

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from demo.postgres import CHECKOUT, USER, Postgres

# The suite fixes the whole configuration, so that the environment cannot change a result.
for name in (
    "CACHE_URL",
    "DEBUG",
    "EDGE_SECONDS",
    "TOKEN_PREFIX",
    "ALLOWED_HOSTS",
    "PUBLIC_URL",
    "CSRF_TRUSTED_ORIGINS",
    *("PGOPTIONS", "PGAPPNAME", "DATABASE_TIMEOUTS", "PREPARED_STATEMENTS"),
    *("LOG_FORMAT", "METRICS_ADDRESS", "SENTRY_DSN", "REQUEST_TIMEOUT", "WORKER_CLASS"),
    *("DATABASE_REPLICA_URL", "REPLICA_MAX_LAG", "BIND", "CLOCK_METRICS_ADDRESS"),
):
    os.environ.pop(name, None)
for name in [name for name in os.environ if name.startswith("RATE_LIMIT_")]:
    del os.environ[name]
os.environ.update(
    ENV_FILE="/dev/null",
    SUBMISSIONS="open",
    SECRET_KEY="for the tests only, and long enough for every check of Django's",
    REQUIRE_HTTPS="false",
    TRUSTED_PROXY_COUNT="0",
)

# A cluster per run, so that two runs in one checkout do not share one.
data = CHECKOUT / ".demo" / f"tests-{os.getpid()}"
# What a migrated database depends on. The requirements name the apps of others.
SOURCES = ["[!.]*/**/migrations/*.py", "*/schema/*.sql", "requirements.txt", "demo/postgres.py"]


class CopiedPostgres(Postgres):
    """A server that starts as a copy of the kept cluster, so that no run migrates again."""

    def create(self):
        kept = kept_cluster()
        self.make_folder(self.data)
        self.run(shutil.which("cp"), "-a", f"{kept}/.", self.data)


def kept_cluster():
    """The folder of a stopped cluster with the database `migrated`; made anew after a change."""
    sources = sorted(path for pattern in SOURCES for path in CHECKOUT.glob(pattern))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    kept = data.with_name(f"migrated-{digest[:16]}")
    if not kept.exists():
        print("Migrating a database that later test runs copy.", flush=True)  # noqa: T201
        made = make_cluster(data.with_suffix(".new"))
        for earlier in data.parent.glob("migrated-*"):
            shutil.rmtree(earlier, ignore_errors=True)
        made.rename(kept)
    return kept


def make_cluster(folder):
    with Postgres(folder, durable=False) as server:
        server.run("createdb", "-h", server.socket, "-U", USER, "migrated")
        url = server.url.removesuffix("postgres") + "migrated"
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=CHECKOUT,
            env=os.environ | {"DATABASE_URL": url},
            check=True,
        )
    # Complete even after a crash of the machine.
    server.run("initdb", "--sync-only", "-D", folder)
    return folder


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def remove_leftovers():
    """Clusters of runs that were killed."""
    for path in data.parent.glob("tests-*"):
        pid = re.match(r"tests-(\d+)", path.name)[1]
        if not Path(f"/proc/{pid}").exists() and Path("/proc").exists():
            remove(path)


running = contextlib.ExitStack()
atexit.register(running.close)
if not os.environ.get("DATABASE_URL"):
    remove_leftovers()
    for suffix in ("", ".lock", ".new", ".new.lock"):
        running.callback(remove, data.with_suffix(suffix))
    server = running.enter_context(CopiedPostgres(data, durable=False))
    # The workers of pytest-xdist find both in their environment.
    os.environ.update(DATABASE_URL=server.url, TEMPLATE_OF_TESTS="migrated")
