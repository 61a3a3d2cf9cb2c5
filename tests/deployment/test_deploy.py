"""Production: the Procfile, run by honcho with a separate database (contract 24.2)"""

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings

from demo.postgres import CHECKOUT
from tests.live import LiveServer, free_port
from tests.processes import is_within, processes_with

pytestmark = pytest.mark.servers

BIN = Path(sys.executable).parent
HOST = "market.example"
FORWARDED = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
REGISTER = "/api/v1/agents/register"


class Deployment(LiveServer):
    """Honcho with the Procfile, behind a router that speaks HTTPS to the world."""

    def __init__(self, log, database_url):
        self.log, self.port = log, free_port()
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        self.environment = {
            **kept,
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "DATABASE_URL": database_url,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": HOST,
            "PORT": str(self.port),
            "WEB_CONCURRENCY": "2",
            "TRUSTED_PROXY_COUNT": "1",
        }

    def honcho(self, process, **options):
        command = [BIN / "honcho", "-e", os.devnull, "start", process]
        return subprocess.Popen(command, cwd=CHECKOUT, env=self.environment, **options)

    def release(self):
        with self.log.open("a") as log:
            assert self.honcho("release", stdout=log, stderr=log).wait(120) == 0

    def start(self):
        with self.log.open("a") as log:
            self.process = self.honcho("web", stdout=log, stderr=log)
        assert is_within(60, self.is_up), self.log.read_text()

    def is_up(self):
        try:
            return self.request("GET", "/healthz").status == 200
        except OSError:
            return False

    def manage(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=CHECKOUT, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def booted(self):
        """How many workers have started so far."""
        return self.log.read_text().count("Booting worker with pid")

    def https(self, method, path, body=None, token=None):
        """A request as the router forwards it."""
        return self.request(method, path, body, token=token, headers=FORWARDED)


@pytest.fixture(scope="module")
def fresh_database():
    """The URL of an empty database on the tests' server."""
    server = settings.DATABASES["default"]
    login = {"host": server["HOST"], "port": server["PORT"], "user": server["USER"]}
    link = psycopg.connect(
        **{name: value for name, value in login.items() if value},
        password=server["PASSWORD"] or None,
        dbname="postgres",
        autocommit=True,
    )
    name = f"deploy_{secrets.token_hex(6)}"
    link.execute(f"CREATE DATABASE {name}")
    user = quote(server["USER"], safe="")
    password = ":" + quote(server["PASSWORD"], safe="") if server["PASSWORD"] else ""
    port = f":{server['PORT']}" if server["PORT"] else ""
    yield f"postgres://{user}{password}@{quote(server['HOST'], safe='')}{port}/{name}"
    link.execute(f"DROP DATABASE {name} WITH (FORCE)")
    link.close()


@pytest.fixture(scope="module")
def new_deployment(fresh_database, tmp_path_factory):
    """Deployments on that database, stopped at the end: `new_deployment()`."""
    made = []

    def new_deployment():
        made.append(Deployment(tmp_path_factory.mktemp("deployment") / "log", fresh_database))
        return made[-1]

    yield new_deployment
    for deployment in made:
        if hasattr(deployment, "process"):
            deployment.stop()


@pytest.fixture(scope="module")
def market(new_deployment):
    """A deployment that served before it was migrated, and now holds the demo catalogue."""
    market = new_deployment()
    market.start()
    market.at_first = [market.request("GET", path) for path in ("/readyz", "/healthz")]
    market.release()
    market.once_migrated = market.request("GET", "/readyz")
    market.imported = [
        market.manage("import_skills", "demo/skills"),
        market.manage("import_personas", "demo/personas"),
    ]
    market.workers = market.booted()
    return market


@pytest.mark.contract("24.2", "24.7")
def test_it_is_ready_as_soon_as_the_release_has_migrated(market):
    ready, health = market.at_first
    assert ready.status == 503
    assert ready.headers["Content-Type"] == "application/json"
    assert ready.json() == {"error": "Database is not migrated"}
    assert int(ready.headers["Retry-After"]) >= 1
    assert health.status == 200

    after = market.once_migrated
    assert (after.status, after.json()) == (200, {"status": "ok"})


def test_the_release_can_run_again(market):
    market.release()

    assert market.request("GET", "/readyz").status == 200


def test_the_demo_catalogue_is_imported_whole(market):
    assert [text.splitlines()[-1].partition(",")[2] for text in market.imported] == [
        " 0 updated, 0 unchanged, 0 refused"
    ] * 2
    assert market.https("GET", "/api/v1/skills").json()["count"] >= 20
    assert market.https("GET", "/api/v1/personas").json()["count"] >= 5


@pytest.mark.contract("24.2")
def test_an_agent_registers_installs_and_reviews(market):
    registered = market.https("POST", REGISTER, {"name": "First Customer"})
    assert registered.status == 201
    token = registered.json()["token"]
    skill = market.https("GET", "/api/v1/skills?limit=1").json()["results"][0]["slug"]
    persona = market.https("GET", "/api/v1/personas?free=true").json()["results"][0]["slug"]

    def call(path, body):
        return market.https("POST", f"/api/v1/agents/me/{path}", body, token).status

    assert call("skills/install", {"slug": skill}) == 201
    assert call("personas/install", {"slug": persona, "setActive": True}) == 201
    assert call("reviews", {"personaSlug": persona, "rating": 5}) == 201

    profile = market.https("GET", "/api/v1/agents/me", token=token).json()
    assert profile["counts"] == {"skills": 1, "personas": 1, "reviews": 1}
    assert profile["activePersona"]["slug"] == persona
    assert profile["claim"]["claimUrl"].startswith(f"https://{HOST}/claim/")
    assert market.https("GET", f"/api/v1/skills/{skill}").json()["downloads"] == 1


def test_it_serves_with_two_workers(market):
    assert market.workers == 2


@pytest.mark.parametrize("name", ["admin/css/base.css", "pages.css"])
def test_style_sheets_are_served_without_collectstatic(market, name):
    assert not (CHECKOUT / "staticfiles").exists()

    response = market.https("GET", f"/static/{name}")

    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/css")
    assert len(response.body) > 100


def test_the_admin_logs_in_behind_the_router(market):
    page = market.https("GET", "/admin/login/")

    assert page.status == 200
    assert b'name="password"' in page.body
    assert "Secure" in page.headers["Set-Cookie"]


def test_sigterm_stops_every_process(new_deployment):
    deployment = new_deployment()
    deployment.start()
    marker = deployment.environment["SECRET_KEY"]
    assert len(processes_with(marker)) >= 4  # honcho, gunicorn and its two workers

    deployment.process.send_signal(signal.SIGTERM)

    deployment.process.wait(60)
    assert is_within(60, lambda: processes_with(marker) == [])
    assert not deployment.is_up()
