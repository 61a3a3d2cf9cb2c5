"""A 503 logs one line, which names the cause."""

import re

import pytest

from demo.postgres import Postgres
from tests.factories import AgentFactory
from tests.live import LiveServer
from tests.processes import is_within
from tests.redis import redis_server

pytestmark = [pytest.mark.servers, pytest.mark.both_modes]

SKILLS, REGISTER = "/api/v1/skills", "/api/v1/agents/register"
INSTALL = "/api/v1/agents/me/skills/install"
ID = r"\[[0-9a-f]{32}\]"
PASSWORD = "hunter2hunter2"
ROLE = "CREATE ROLE visitor LOGIN PASSWORD 'another'"


@pytest.fixture
def url_with_wrong_password(tmp_path):
    with Postgres(tmp_path / "postgres", durable=False) as postgres:
        # Peers of the socket are trusted by default.
        rules = "local all visitor scram-sha-256\nlocal all all trust\n"
        (postgres.data / "pg_hba.conf").write_text(rules)
        postgres.run("pg_ctl", "-D", postgres.data, "reload")
        postgres.run("psql", "-qh", postgres.socket, "-U", "marketplace", "postgres", "-c", ROLE)
        yield postgres.url.replace("marketplace@", f"visitor:{PASSWORD}@")


def causes_of(server, path):
    """The lines about 503s of this path, without their times."""
    lines = server.log.read_text().splitlines()
    return [line.split(" ERROR ")[1] for line in lines if f"Service Unavailable: {path}" in line]


def assert_one_line_each(server, path, pattern, *, requests=2):
    """Every refused request logged one line of this pattern, and nothing else."""
    assert is_within(60, lambda: len(causes_of(server, path)) == requests), server.log.read_text()
    for line in causes_of(server, path):
        assert re.fullmatch(f"django.request {ID}: Service Unavailable: {path}: {pattern}", line)
    assert "Traceback" not in server.log.read_text()


def refuse(server, method, path, body=None, token=None):
    for _ in range(2):
        response = server.request(method, path, body, token=token)
        assert (response.status, response.headers["Retry-After"]) == (503, "2")


def test_a_wrong_password(tmp_path, url_with_wrong_password):
    environment = {"DATABASE_URL": url_with_wrong_password}
    line = 'OperationalError: .* password authentication failed for user "visitor"'
    with LiveServer(tmp_path / "log", environment, ready="/healthz") as server:
        for path in (SKILLS, "/readyz", "/skills"):
            refuse(server, "GET", path)
            assert_one_line_each(server, path, line)
    assert PASSWORD not in server.log.read_text()


def test_a_startup_option_that_the_database_refuses(tmp_path, transactional_db):
    environment = {"PGOPTIONS": "-c no_such_option=1"}
    with LiveServer(tmp_path / "log", environment, ready="/healthz") as server:
        refuse(server, "GET", SKILLS)

        assert_one_line_each(server, SKILLS, 'OperationalError: .* parameter "no_such_option"')


def test_a_read_only_database(own_server_of):
    server = own_server_of(PGOPTIONS="-c default_transaction_read_only=on")

    refuse(server, "POST", REGISTER)

    assert server.request("GET", SKILLS).status == 200
    # One request in 200 first purges rate limit counters.
    line = "InternalError 25006: cannot execute (INSERT|DELETE) in a read-only transaction"
    assert_one_line_each(server, REGISTER, line)


def test_a_full_redis(own_server_of, tmp_path):
    token = AgentFactory().token.text
    with redis_server(tmp_path, "--maxmemory", "1", "--maxmemory-policy", "noeviction") as url:
        server = own_server_of(CACHE_URL=url)

        refuse(server, "POST", INSTALL, {"slug": "pdf"}, token)

        assert_one_line_each(server, INSTALL, "OutOfMemoryError: command not allowed .*")
