"""The whole marketplace on this machine: database, demo catalogue, an administrator, the server.

python -m demo              starts it all (make demo)
python -m demo COMMAND...   runs a management command on its database (make manage)
"""

import ctypes
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import psycopg

from demo.postgres import CHECKOUT, database

HERE = Path(__file__).resolve().parent
STATE = CHECKOUT / ".demo"

# What a person reads on the terminal.
WELCOME = """
The marketplace is at {url}  (Ctrl-C stops it; its data stay in .demo/)

  Look:      {url}/  for people, {url}/docs to try the API, {url}/skill.md for agents
  Search:    curl '{url}/api/v1/skills?q=pdf+tables'
  Register:  curl -X POST {url}/api/v1/agents/register -H 'Content-Type: application/json' -d '{{"name": "My first agent"}}'
  Admin:     {url}/admin/  user admin, password {password}
  More:      the first session in README.md
"""


def main():
    # Stopping is an exception from here on, so that everything started is also stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    STATE.mkdir(exist_ok=True)
    environment = {
        "SECRET_KEY": kept_secret("secret_key"),
        "REQUIRE_HTTPS": "false",
        "ACCESS_LOG": "true",
        "WEB_CONCURRENCY": "2",
    }
    for name, value in environment.items():
        os.environ.setdefault(name, value)
    if command := sys.argv[1:]:
        with database(STATE / "postgres"):
            sys.exit(manage(*command))
    with database(STATE / "postgres", alone=True):
        prepare()
        serve(os.environ.get("PORT") or "8000")


def prepare():
    """Migrate, fill an empty catalogue, and see that there is an administrator."""
    run("migrate", "--verbosity", "0")
    # What was filled once is left as its staff have made it.
    if is_empty("SELECT FROM catalogue_skill LIMIT 1"):
        run("import_skills", HERE / "skills", "--source", "demo")
    if is_empty("SELECT FROM catalogue_persona LIMIT 1"):
        run("import_personas", HERE / "personas", "--source", "demo")
    os.environ["DJANGO_SUPERUSER_PASSWORD"] = kept_secret("admin_password", size=9)
    # Fails where the administrator exists already, which is as good.
    manage("createsuperuser", "--no-input", "--username", "admin", "--email", "", quietly=True)


def run(*command):
    if status := manage(*command):
        sys.exit(status)


def is_empty(query):
    with psycopg.connect(os.environ["DATABASE_URL"]) as link:
        return link.execute(query).fetchone() is None


def serve(port):
    """Run the Procfile's web line until it ends or this process is told to stop."""
    url, password = f"http://127.0.0.1:{port}", kept_secret("admin_password")
    print(WELCOME.format(url=url, password=password), flush=True)
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "marketplace.wsgi", "--bind", f"127.0.0.1:{port}"],
        cwd=CHECKOUT,
        # Ctrl-C is for this process to pass on: gunicorn lets a worker that gets it twice hang.
        start_new_session=True,
        preexec_fn=end_with_parent,  # noqa: PLW1509
    )
    try:
        sys.exit(server.wait())
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()


def end_with_parent():
    """On Linux: a server whose demo was killed ends too, and leaves the port to the next one."""
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
