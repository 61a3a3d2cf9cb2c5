"""Starts the tests' PostgreSQL before Django reads its settings (pytest's option -p)."""

import atexit
import contextlib
import os
import shutil
from pathlib import Path

from demo.postgres import CHECKOUT, database

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
    *("DATABASE_REPLICA_URL", "REPLICA_MAX_LAG", "BIND"),
):
    os.environ.pop(name, None)
for name in [name for name in os.environ if name.startswith("RATE_LIMIT_")]:
    del os.environ[name]
os.environ.update(
    ENV_FILE="/dev/null",
    SECRET_KEY="for the tests only, and long enough for every check of Django's",
    REQUIRE_HTTPS="false",
    TRUSTED_PROXY_COUNT="0",
)

running = contextlib.ExitStack()
atexit.register(running.close)
# A cluster per run, so that two runs in one checkout do not share one.
data = CHECKOUT / ".demo" / f"tests-{os.getpid()}"


def remove_leftovers():
    """Clusters of runs that were killed."""
    for folder in data.parent.glob("tests-*"):
        pid = folder.name.removeprefix("tests-").removesuffix(".lock")
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and Path("/proc").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.unlink(missing_ok=True)


if not os.environ.get("DATABASE_URL"):
    remove_leftovers()
    running.callback(lambda: data.with_suffix(".lock").unlink(missing_ok=True))
    running.callback(shutil.rmtree, data, ignore_errors=True)
    running.enter_context(database(data, durable=False))
