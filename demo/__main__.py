"""The whole marketplace on this machine: database, demo catalogue, an administrator, the server."""

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

from demo.postgres import CHECKOUT, database

HERE = Path(__file__).resolve().parent
STATE = CHECKOUT / ".demo"

# What a person reads on the terminal.
WELCOME = """
The marketplace is at {url}  (Ctrl-C stops it; its data stay in .demo/)

  Browse:    curl '{url}/api/v1/skills?q=pdf+tables'
  Register:  curl -X POST {url}/api/v1/agents/register -H 'Content-Type: application/json' -d '{{"name": "My first agent"}}'
  Admin:     {url}/admin/  user admin, password {password}
  More:      the first session in README.md
"""


def main():
    # Stopping is an exception from here on, so that everything started is also stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    port = os.environ.get("PORT") or "8000"
    STATE.mkdir(exist_ok=True)
    environment = {
        "SECRET_KEY": kept_secret("secret_key"),
        "REQUIRE_HTTPS": "false",
        "WEB_CONCURRENCY": "2",
    }
    for name, value in environment.items():
        os.environ.setdefault(name, value)
    password = kept_secret("admin_password", size=9)
    os.environ["DJANGO_SUPERUSER_PASSWORD"] = password
    with database():
        manage("migrate", "--verbosity", "0")
        manage("import_skills", HERE / "skills", "--source", "demo")
        manage("import_personas", HERE / "personas", "--source", "demo")
        # Fails where the administrator exists already, which is as good.
        manage("createsuperuser", "--no-input", "--username", "admin", "--email", "", check=False)
        print(WELCOME.format(url=f"http://127.0.0.1:{port}", password=password), flush=True)
        serve(port)


def serve(port):
    """Run the Procfile's web line until it ends or this process is told to stop."""
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "marketplace.wsgi", "--bind", f"127.0.0.1:{port}"],
        cwd=CHECKOUT,
    )
    try:
        sys.exit(server.wait())
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()


def manage(*arguments, check=True):
    command = [sys.executable, CHECKOUT / "manage.py", *arguments]
    quiet = {} if check else {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(part) for part in command], check=check, cwd=CHECKOUT, **quiet)


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
