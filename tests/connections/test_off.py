"""With OAUTH=false, nothing of connectors is there (contract 35.1)"""

from collections import Counter

import pytest
from django.db import connection

from operators.deleting import delete
from tests.environments import start
from tests.factories import AgentFactory, ask_for_code

pytestmark = pytest.mark.contract("35.1")
IMPORTED = """
import sys, django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
print(*sorted(
    name for name in sys.modules
    if name.startswith(("authlib", "connections.oauth", "connections.urls", "connections.views",
        "connections.pages", "connections.console"))
))
"""
READS = """
SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables
WHERE relname LIKE 'connections\\_%' OR relname = 'agents_agenttoken'
"""
PATHS = [
    *("/oauth/token", "/oauth/register", "/oauth/revoke", "/mcp/oauth", "/operator/connect"),
    *(f"/.well-known/oauth-{name}" for name in ("protected-resource", "authorization-server")),
]


@pytest.fixture(autouse=True)
def off(settings):
    settings.OAUTH, settings.ROOT_URLCONF = False, "marketplace.urls"


@pytest.mark.servers
def test_its_routes_and_authlib_are_not_imported():
    done = start("-c", IMPORTED)

    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


def test_its_addresses_are_404s(anyone):
    for path in PATHS:
        for response in (anyone.get(path), anyone.post(path, {})):
            assert response.status_code == 404
            assert "Access-Control-Allow-Origin" not in response
        asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
        assert anyone.options(path, headers=asked).status_code == 404


def reads():
    """How often tables were read, as PostgreSQL counts: also by triggers and constraints.

    Earlier transactions of the connection may be in the numbers.
    """
    with connection.cursor() as cursor:
        cursor.execute(READS)
        return Counter(dict(cursor.fetchall()))


def test_its_tables_are_not_read(anyone, client_of):
    before = reads()
    agent = AgentFactory(handle="paper-mill")
    for _ in range(2):  # The second takes over from the first.
        code = ask_for_code(agent)
        sent = client_of(agent).post("/api/v1/agents/me/confirm-claim", {"code": code})
        assert sent.status_code == 200
    token = client_of(agent).post("/api/v1/agents/me/tokens", {}).json()["token"]
    anyone.post("/api/v1/tokens/revoke", {"token": token})
    client_of(agent).post("/api/v1/agents/me/tokens/rotate", {})
    agent.claim.key.revoke("Lost")
    delete(agent)

    new = reads()
    new.subtract(before)
    assert new.pop("agents_agenttoken") > 0
    assert new == {
        f"connections_{name}": 0 for name in ("authorizationcode", "connection", "oauthclient")
    }


def test_openapi_and_the_list_of_tools_are_as_before(anyone):
    document = anyone.get("/api/v1/openapi.json")
    assert "A connection cannot manage tokens" not in document.content.decode()
    assert "claimUrl" in document.json()["components"]["schemas"]["Claim"]["required"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    names = [tool["name"] for tool in anyone.post("/mcp", message).json()["result"]["tools"]]
    assert "create_token" in names
