"""docs/deploy/: the commands run as printed, the log lines are those of the server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import get_commands, load_command_class
from django.test import Client

from demo.postgres import CHECKOUT, Postgres
from tests.checkouts import bare_checkout
from tests.environments import PRODUCTION, start
from tests.factories import AgentFactory, SkillFactory
from tests.live import LiveServer
from tests.processes import is_within

pytestmark = pytest.mark.servers

PAGES = sorted((CHECKOUT / "docs/deploy").glob("*.md"))
COMMAND = re.compile(r"manage\.py ([a-z_]+)([^`\n'&]*)")
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
ERRORS = (CHECKOUT / "docs/deploy/errors.md").read_text()
LINES = re.findall(r"```\n(.*?)\n```", ERRORS, re.DOTALL)
BIN = Path(sys.executable).parent


def scripts_of(page, heading=""):
    """The commands of a page, from a heading on, up to the next one."""
    text = (CHECKOUT / "docs/deploy" / page).read_text()
    if heading:
        [text] = re.findall(rf"^## {heading}\n(.*?)(?:^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return "\n".join(SHELL.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_command_has_the_options_that_are_printed(page):
    for name, rest in COMMAND.findall(page.read_text()):
        app = get_commands()[name]
        parser = load_command_class(app, name).create_parser("manage.py", name)
        options = set(re.findall(r"--[a-z-]+", rest.partition("#")[0]))
        assert options <= set(parser._option_string_actions), name


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """`machine(script)`: run it on a machine with a checkout, a `.env` and an empty database."""
    folder = tmp_path_factory.mktemp("machine")
    checkout = bare_checkout(folder / "marketplace")
    with Postgres(folder / "postgres") as database:
        variables = {
            "DATABASE_URL": database.url,
            "SECRET_KEY": "a$b&c#d " * 8,
            "ALLOWED_HOSTS": "market.example",
            "TRUSTED_PROXY_COUNT": "1",
        }
        (checkout / ".env").write_text("".join(f"{k}={v}\n" for k, v in variables.items()))
        environment = {
            "PATH": f"{BIN}:{database.binaries}:{os.environ['PATH']}",
            "HOME": str(folder),
            "DJANGO_SUPERUSER_PASSWORD": "correct horse",
        }

        def machine(script):
            done = subprocess.run(
                ["bash", "-euc", script],
                cwd=checkout,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        machine.checkout, machine.database, machine.environment = checkout, database, environment
        machine("python manage.py migrate --no-input --verbosity 0")
        yield machine


@pytest.fixture(scope="module")
def first_hour(machine):
    """What the commands of the first hour print; it leaves a catalogue and a backup."""
    machine("mkdir backups; echo > backups/a")
    page = (CHECKOUT / "docs/deploy/first-hour.md").read_text()
    [administrator] = re.findall(r"`(python manage.py createsuperuser [^`]*)`", page)
    *imports, doctor, _ = SHELL.findall(page)
    machine(f"{administrator} --no-input")
    return machine("".join(imports).replace("/path/to", "demo")), machine(doctor)


@pytest.mark.slow
def test_the_first_hour_runs_as_printed(first_hour):
    imported, examined = first_hour

    assert imported == (
        "script: demo/skills/dockerfile-build/scripts/check.sh: agents may run it\n"
        "script: demo/skills/dockerfile-build/scripts/layers.sh: agents may run it\n"
        "script: demo/skills/pdf-tables/scripts/extract.py: agents may run it\n"
        "skills: 40 created, 0 updated, 0 unchanged, 0 refused\n"
        "personas: 15 created, 0 updated, 0 unchanged, 0 refused\n"
    )
    assert examined.endswith("All is well.\n"), examined


@pytest.mark.slow
def test_a_backup_is_restored_as_printed(machine, first_hour, tmp_path):
    machine("rm backups/a")
    restored = scripts_of("backup.md")

    printed = machine(restored)

    assert "All is well.\n" in printed
    assert "Every counter is correct.\n" in printed
    assert "skills: the index and the counts are correct.\n" in printed
    url = machine.database.url.rpartition("/")[0] + "/marketplace_restored"
    with LiveServer(tmp_path / "log", {"DATABASE_URL": url, "CATALOGUE": "public"}) as server:
        skills = server.request("GET", "/api/v1/skills?q=extract+tables+from+pdf").json()
        assert skills["results"][0]["slug"] == "pdf-tables"
        registered = server.request("POST", "/api/v1/agents/register", {}).json()
        body = {"slug": "pdf-tables"}
        path = "/api/v1/agents/me/skills/install"
        assert server.request("POST", path, body, token=registered["token"]).status == 201


@pytest.mark.slow
def test_a_database_moves_to_another_server_as_printed(machine, first_hour, tmp_path):
    page = (CHECKOUT / "docs/deploy/upgrade.md").read_text()
    _, _, section = page.partition("### On another server")
    read_only, new, writable, *_ = [
        script.replace("DATABASE marketplace", "DATABASE postgres")
        for script in SHELL.findall(section)
    ]
    read, back_up, restore = SHELL.findall((CHECKOUT / "docs/deploy/backup.md").read_text())[:3]
    _, _, restore = restore.split("\n", 2)
    compare = scripts_of("backup.md").partition("--command=ANALYZE\n")[2]
    write = 'psql "$DATABASE_URL" --command="CREATE TABLE written (); DROP TABLE written"'

    with Postgres(tmp_path / "new") as server:
        url = server.url.rpartition("/")[0] + "/marketplace"
        new = re.sub("^RESTORED=.*", f"RESTORED={url}", new)
        printed = machine(
            f"{read}{read_only}{back_up}if {write}; then exit 1; fi\n{new}{restore}{compare}"
            f'DATABASE_URL="$RESTORED"; {write}'
        )

    assert "Every counter is correct.\n" in printed
    assert "skills: the index and the counts are correct.\n" in printed
    machine(f"{read}{writable}unset PGOPTIONS; {write}")


def test_the_password_is_encoded_as_printed():
    script = scripts_of("variables.md", "The file .env")
    [encode] = re.findall(r"python3 -c .*", script)

    done = subprocess.run(["bash", "-c", encode], capture_output=True, text=True, check=True)

    assert done.stdout == "p%23ss%24w%26rd\n"


def test_another_secret_key_ends_cursors_and_sessions(live_server_of, transactional_db):
    SkillFactory.create_batch(2)
    token = AgentFactory().token.text
    staff = Client()
    staff.force_login(User.objects.create_superuser("clerk"))
    cookie = {"Cookie": f"staff={staff.cookies[settings.SESSION_COOKIE_NAME].value}"}
    one, two = live_server_of(), live_server_of(SECRET_KEY="another one, and long enough " * 2)
    cursors = [
        one.request("GET", path).json()["next"].partition("/api/")[2]
        for path in ("/api/v1/skills?limit=1", "/api/v1/changes?limit=1")
    ]

    assert [one.request("GET", f"/api/{path}").status for path in cursors] == [200, 200]
    for path in cursors:
        refused = two.request("GET", f"/api/{path}")
        assert (refused.status, refused.json()) == (400, {"error": "cursor is invalid"})
    assert one.request("GET", "/admin/", headers=cookie).status == 200
    assert two.request("GET", "/admin/", headers=cookie).status == 302
    for server in (one, two):
        assert server.request("GET", "/api/v1/agents/me", token=token).status == 200


def without_changing(line):
    """A line of the log, without its time and the ID of its request."""
    return re.sub(r"^\S+ \S+ (?=[A-Z]+ )|(?<=\w) \[[^\] ]+\](?=: )", "", line)


def logged(server):
    return [without_changing(line) for line in server.log.read_text().splitlines()]


def test_the_lines_of_refused_requests_are_printed(own_server_of):
    server = own_server_of(
        ALLOWED_HOSTS="localhost,127.0.0.1", REQUIRE_HTTPS="true", TRUSTED_PROXY_COUNT="0"
    )
    server.request("GET", "/api/v1", headers={"Host": "market.example"})
    server.request("GET", "/api/v1", headers={"X-Forwarded-Proto": "https"})

    assert {LINES[1], LINES[2]} <= set(logged(server))


def test_the_lines_of_a_proxy_that_forgets_are_printed(own_server_of):
    server = own_server_of(REQUIRE_HTTPS="true", TRUSTED_PROXY_COUNT="1")
    server.request("GET", "/api/v1")
    form = {
        "X-Forwarded-Proto": "https",
        "Origin": "https://other.example",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert server.request("POST", "/admin/login/", "a=b", headers=form).status == 403

    assert {LINES[3], LINES[4]} <= set(logged(server))


def test_the_line_of_a_missing_variable_is_printed():
    assert start("-m", "gunicorn", "marketplace.wsgi", SECRET_KEY=None).stderr == f"{LINES[0]}\n"


@pytest.mark.slow
def test_the_lines_of_a_database_are_printed(machine, tmp_path):
    away = {**PRODUCTION, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    away |= {"REQUIRE_HTTPS": "false"}
    with LiveServer(tmp_path / "away", away, ready="/healthz") as server:
        server.request("GET", "/readyz")
    assert any(line.startswith(LINES[5]) for line in logged(server)), logged(server)

    machine(f'createdb --maintenance-db="{machine.database.url}" --template=template0 bare')
    url = machine.database.url.rpartition("/")[0] + "/bare"
    with LiveServer(tmp_path / "bare", {"DATABASE_URL": url}, ready="/healthz") as server:
        assert server.request("GET", "/readyz").json() == {"error": "Database is not migrated"}
        assert server.request("GET", "/api/v1/skills").status == 500
    assert LINES[6] in logged(server)
    done = start("manage.py", "import_skills", "demo/skills", DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (
        1,
        "The database is not migrated: run migrate first.\n",
    )


def test_the_line_of_a_port_in_use_is_printed(own_server_of):
    server = own_server_of()
    second = LiveServer(server.log.with_name("second"), {})
    second.environment["PORT"] = str(server.port)
    with second.log.open("w") as log:
        process = subprocess.Popen(
            second.command, cwd=CHECKOUT, env=second.environment, stdout=log, stderr=log
        )
    line = LINES[8].replace("8000", str(server.port))
    try:
        assert is_within(60, lambda: line in logged(second)), logged(second)
    finally:
        process.terminate()
        process.wait()


def test_the_other_lines_are_those_that_other_tests_see():
    """tests/deployment/test_unavailable.py provokes the one, test_clocks.py the other."""
    assert LINES[7].endswith("OperationalError 57014: canceling statement due to statement timeout")
    assert LINES[9].endswith(
        "the clock of this host is 7200 seconds behind that of the database: synchronize both"
    )
    assert len(LINES) == len(re.findall("^## ", ERRORS, re.MULTILINE)) == 10


def test_every_alert_is_explained():
    [group] = yaml.safe_load((CHECKOUT / "deploy/alerts.yml").read_text())["groups"]
    page = (CHECKOUT / "docs/deploy/operations.md").read_text()

    explained = re.findall(r"^\| `(Marketplace\w+)`", page, re.MULTILINE)

    assert explained == [rule["alert"] for rule in group["rules"]]
