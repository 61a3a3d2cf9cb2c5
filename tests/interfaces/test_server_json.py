"""What registries of MCP servers read at /server.json (contract 34.42)"""

import pytest

from interfaces.mcp.server_json import DESCRIPTION, reversed_host
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.contract("34.42")


@pytest.mark.parametrize(
    ("catalogue", "text"),
    [
        ("public", "The token that register_agent returns. Searching and reading need none."),
        ("members", "Your token. Everything except registration needs one."),
    ],
)
@pytest.mark.parametrize("url", ["/server.json", "/server.json/"])
def test_it_describes_the_server(anyone, settings, url, catalogue, text, db):
    settings.CATALOGUE, settings.PUBLIC_URL = catalogue, "https://agents.market.example"

    response = anyone.get(url)

    authorization = {
        "name": "Authorization",
        "description": text,
        "placeholder": "Bearer <token>",
        "isRequired": False,
        "isSecret": True,
    }
    remote = {
        "type": "streamable-http",
        "url": "https://agents.market.example/mcp",
        "headers": [authorization],
    }
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.json() == {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "example.market.agents/agent-marketplace",
        "title": "Agent marketplace",
        "description": "Find, install and review skills (SKILL.md) and personas (prompts that "
        "bundle skills).",
        "version": "1.0.0",
        "websiteUrl": "https://agents.market.example",
        "remotes": [remote],
    }


def test_the_host_of_the_request_is_the_base(anyone):
    body = anyone.get("/server.json").json()

    assert body["name"] == "testserver/agent-marketplace"
    assert body["remotes"][0]["url"] == "http://testserver/mcp"


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("http://127.0.0.1:8000", "1.0.0.127"),
        ("https://Market.Example", "example.market"),
        ("http://[::1]:8000", "--1"),
    ],
)
def test_every_host_gives_a_name_that_registries_accept(base, name):
    assert reversed_host(base) == name
    assert len(DESCRIPTION) <= 100


@pytest.mark.django_db(transaction=True)
def test_it_names_no_entry_and_reads_none(anyone, django_assert_num_queries):
    SkillFactory(slug="quillwort"), PersonaFactory(slug="quillwort")

    with django_assert_num_queries(0):
        response = anyone.get("/server.json")

    assert "quillwort" not in response.text


def test_it_may_be_cached_and_read_from_any_site(anyone):
    first = anyone.get("/server.json")

    again = anyone.get("/server.json", headers={"If-None-Match": first["ETag"]})

    assert first["Cache-Control"] == anyone.get("/api/v1")["Cache-Control"]
    assert first["Access-Control-Allow-Origin"] == "*"
    assert (again.status_code, again.content) == (304, b"")
    assert anyone.head("/server.json").status_code == 200
