"""Behind a pooler, which lends servers to clients in turn, every agent gets its own data."""

import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from demo.postgres import USER, as_server_user
from tests.factories import PersonaFactory, SkillFactory
from tests.live import LiveServer, free_port
from tests.system import test_races
from tests.system.load import ME, REGISTER
from tests.system.races import LIMITS, concurrently_on
from tests.system.scale import scale

pytestmark = pytest.mark.slow

SECONDS = scale(short=2, long=60)
AGENTS = 16
CONFIG = """
[databases]
* = host={host} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
"""
# PgBouncer's settings, the application's variables, and the required version of PgBouncer.
POOLERS = {
    "session": (
        "pool_mode = session\ndefault_pool_size = 20",
        {"PREPARED_STATEMENTS": "false"},
        (1, 0),
    ),
    "transaction": ("pool_mode = transaction\ndefault_pool_size = 3", {}, (1, 0)),
    "transaction-with-prepared-statements": (
        "pool_mode = transaction\ndefault_pool_size = 3\nmax_prepared_statements = 50",
        {},
        (1, 21),
    ),
}
# These run again behind each pooler, on the `concurrently` of this module.
test_races_of_installs = test_races.test_many_agents_on_one_skill_are_all_counted
test_races_of_reviews = test_races.test_reviews_of_many_agents_add_up
test_races_of_writes = test_races.test_writes_of_every_kind_and_staff_do_not_deadlock


@pytest.fixture(scope="module", params=POOLERS)
def server(request, django_db_setup, tmp_path_factory):
    """Two processes of the application, behind a pooler."""
    settings, environment, needed = POOLERS[request.param]
    program = pgbouncer_of(needed)
    folder, port = tmp_path_factory.mktemp("pooler"), free_port()
    config, host = folder / "pgbouncer.ini", connection.settings_dict["HOST"]
    if not host.startswith("/"):
        pytest.skip("the tests run on a server that may ask for a password")
    config.write_text(CONFIG.format(host=host, user=USER, port=port) + settings)
    with subprocess.Popen(
        [*as_server_user(), program, "-q", config],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as pooler:
        server = LiveServer(
            folder / "server.log",
            {
                "DATABASE_URL": f"postgres://{USER}@127.0.0.1:{port}/{connection.settings_dict['NAME']}",
                **LIMITS,
                **environment,
            },
        )
        try:
            server.start()  # which waits until it reaches its database
            yield server
        finally:
            server.stop()
            pooler.terminate()


def pgbouncer_of(needed):
    """The program, at least of this version."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    result = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    version = re.search(r"(\d+)\.(\d+)", result.stdout)
    if tuple(map(int, version.groups())) < needed:
        pytest.skip(f"pgbouncer {version[0]} is installed, which tracks no prepared statements")
    return program


@pytest.fixture
def concurrently(transactional_db, server):
    return concurrently_on(server)


def test_every_agent_gets_its_own_data(transactional_db, server):
    skills = [skill.slug for skill in SkillFactory.create_batch(8)]
    personas = [persona.slug for persona in PersonaFactory.create_batch(8)]
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(AGENTS) as pool:
        agents = [pool.submit(act, server, skills, personas, end) for _ in range(AGENTS)]
        requests = sum(agent.result() for agent in agents)
    print(f"\n{requests} requests of {AGENTS} agents, none refused or astray")  # noqa: T201


def act(server, skills, personas, end):
    """Register, write and read until the end; returns the number of requests, all correct."""
    number = 0

    def send(method, path, body=None, *, token=None, status=200):
        nonlocal number
        number += 1
        response = server.request(method, path, body, token=token)
        assert response.status == status, response.body
        return response.json()

    while time.monotonic() < end:
        agent = send("POST", REGISTER, {"name": "Behind a Pooler"}, status=201)
        token, handle = agent["token"], agent["handle"]
        for skill, persona in zip(skills, personas, strict=True):
            install = send(
                *("POST", f"{ME}/skills/install", {"slug": skill}), token=token, status=201
            )
            assert install["slug"] == skill
            body = {"slug": persona, "setActive": True}
            send("POST", f"{ME}/personas/install", body, token=token, status=201)
            body = {"personaSlug": persona, "rating": 3.5, "comment": handle}
            assert send("POST", f"{ME}/reviews", body, token=token, status=201)["comment"] == handle
            assert send("PATCH", ME, {"description": handle + skill}, token=token)
            assert send("GET", f"/api/v1/skills/{skill}")["slug"] == skill
            assert send("GET", f"/api/v1/skills?q={skill}&limit=5&sort=name")["count"] >= 1
            profile = send("GET", ME, token=token)
            assert (profile["handle"], profile["description"]) == (handle, handle + skill)
            assert profile["activePersona"]["slug"] == persona
    return number
