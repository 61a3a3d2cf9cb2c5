"""Behind nginx with EDGE_SECONDS, only members read a members-only catalogue"""

from urllib.parse import urlsplit

import pytest

from agents.models import AgentToken
from tests.access.walk import WORD, fill, requests
from tests.factories import AgentFactory
from tests.nginx import Edge
from tests.processes import is_within
from tests.system.scale import UNLIMITED

pytestmark = pytest.mark.slow

OPEN = {
    "/",
    "/docs",
    "/api/v1",
    "/api/v1/openapi.json",
    "/skill.md",
    "/llms.txt",
    "/guide.md",
    "/robots.txt",
    "/server.json",
}


@pytest.fixture
def edge(live_server_of, tmp_path):
    server = live_server_of(CATALOGUE="members", EDGE_SECONDS="60", **UNLIMITED)
    with Edge(tmp_path / "edge", server.port) as edge:
        yield edge


def told(edge, method, path, body=None, **options):
    response = edge.request(method, path, body, **options)
    head = f"{response.status}\n{response.headers}"
    return head + response.body.decode(errors="replace")


def reads():
    """The requests that an edge may answer. tests/access/test_members_walk.py sends all of them."""
    return [
        (method, path, body)
        for method, path, body in requests()
        if method in {"GET", "HEAD"} or path == "/mcp"
    ]


@pytest.mark.contract("26.10")
def test_an_edge_has_nothing_of_a_members_only_catalogue(edge):
    fill(AgentFactory(handle="other"))
    member, ended = AgentFactory(), AgentFactory()
    suspended, paused = AgentFactory(), AgentFactory()
    suspended.suspend()
    paused.pause()
    # Warm in both ways: every reader has read everything, with a token that ends then.
    was_told = [
        path
        for method, path, body in reads()
        if WORD in told(edge, method, path, body, token=new_token(member))
    ]
    for method, path, _ in reads():
        if method == "GET":
            told(edge, method, path, token=ended.token.text)
    ended.token.revoke()

    for token in (None, *(agent.token.text for agent in (ended, suspended, paused))):
        for method, path, body in reads():
            assert WORD not in told(edge, method, path, body, token=token), (method, path, body)
    assert len(set(was_told)) > 20
    assert is_within(60, edge.stored)
    assert {urlsplit(url).path for url in edge.stored()} <= OPEN


def new_token(agent):
    return AgentToken.objects.issue(agent).text
