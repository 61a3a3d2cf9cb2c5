"""A small cluster on this machine: a primary with a replica, PgBouncer, two hosts and HAProxy.

python -m demo.cluster      starts it all on http://127.0.0.1:$PORT (default 8000); Ctrl-C stops it

It needs the programs pgbouncer and haproxy. deploy/cluster/ has their configurations;
docs/deploy/scale.md says when which part is needed.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from string import Template
from urllib.request import urlopen

import psycopg

from demo.__main__ import STATE, end_with_parent, kept_secret, prepare
from demo.postgres import CHECKOUT, USER, Postgres, as_server_user
from marketplace.environment import TIMEOUTS

FOLDER = STATE / "cluster"
TEMPLATES = CHECKOUT / "deploy" / "cluster"
# Debian installs haproxy and pgbouncer here, which is not in an ordinary user's PATH.
SYSTEM_PROGRAMS = "/usr/sbin"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.environ["PATH"] += os.pathsep + SYSTEM_PROGRAMS
    if missing := [name for name in ("pgbouncer", "haproxy") if shutil.which(name) is None]:
        sys.exit(f"Install {' and '.join(missing)} first.")
    port = int(os.environ.get("PORT", "8000"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as parts:
        primary = parts.enter_context(Postgres(FOLDER / "primary", alone=True))
        environment = environment_of(primary, port)
        os.environ.update(environment, DATABASE_URL=primary.url)
        prepare()
        with psycopg.connect(primary.url) as link:
            # Set for the whole database, because a pooler refuses connection options.
            for name, value in re.findall(r"-c (\w+)=(\w+)", TIMEOUTS):
                link.execute(f"ALTER DATABASE postgres SET {name} = '{value}'")
        replica = Postgres(FOLDER / "replica")
        replica.follow(primary)
        parts.callback(shutil.rmtree, replica.socket, ignore_errors=True)
        parts.callback(replica.stop)
        pooler, router = configurations(port, primary, replica)
        parts.enter_context(running(*as_server_user(), "pgbouncer", "-q", pooler))
        for number in (1, 2):
            bind = f"127.0.0.1:{port + number}"
            parts.enter_context(
                running(
                    *(sys.executable, "-m", "gunicorn", "marketplace.wsgi", "--bind", bind),
                    env=os.environ | environment,
                )
            )
        router = parts.enter_context(running("haproxy", "-q", "-f", router))
        while router.poll() is None and not is_ready(port):
            time.sleep(0.2)
        print(f"The cluster is at http://127.0.0.1:{port}  (Ctrl-C stops it)", flush=True)
        sys.exit(router.wait())


def environment_of(primary, port):
    """The environment of both hosts, which reach the databases through the pooler."""
    pooler = f"postgres://{USER}@127.0.0.1:{port + 3}"
    return {
        "DATABASE_URL": f"{pooler}/primary",
        "DATABASE_REPLICA_URL": f"{pooler}/replica",
        "DATABASE_TIMEOUTS": "none",
        "SECRET_KEY": kept_secret("secret_key"),
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "TRUSTED_PROXY_COUNT": "1",
        "REQUIRE_HTTPS": "false",
        "WEB_CONCURRENCY": "1",
        "RATE_LIMIT_REGISTER": "10000/h",
    }


def is_ready(port):
    try:
        urlopen(f"http://127.0.0.1:{port}/readyz").close()  # nosec B310 - our own address
    except OSError:
        return False
    return True


def configurations(port, primary, replica):
    """Write the files of deploy/cluster, with this machine's values for their variables."""
    names = {
        "PORT": port,
        "PORT_OF_ONE": port + 1,
        "PORT_OF_TWO": port + 2,
        "PORT_OF_POOLER": port + 3,
        "PRIMARY": primary.socket,
        "REPLICA": replica.socket,
        "USERS": written("users.txt", f'"{USER}" ""\n'),
    }
    return [
        written(name, Template((TEMPLATES / name).read_text()).substitute(names))
        for name in ("pgbouncer.ini", "haproxy.cfg")
    ]


def written(name, text):
    path = FOLDER / name
    path.write_text(text)
    path.chmod(0o644)
    return path


@contextlib.contextmanager
def running(*command, env=None):
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=CHECKOUT,
        env=env,
        start_new_session=True,
        preexec_fn=end_with_parent,  # noqa: PLW1509
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
