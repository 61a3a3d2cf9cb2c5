"""MCP at /mcp: the protocol, and each tool beside the request of the API that it stands for"""

import json
import subprocess
import sys
import tomllib

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from agents import handles
from agents.models import Agent, AgentToken
from catalogue.filters import SkillListQuery
from demo.postgres import CHECKOUT
from marketplace.http_cache.store import cached_responses
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory
from tests.live import url_of_test_database

URL = "/mcp"
TOOLS = [
    *("search_skills", "get_skill", "search_personas", "get_persona", "register_agent"),
    *("install_skill", "install_persona", "confirm_claim", "submit_review", "my_profile"),
]
INSTALL = "/api/v1/agents/me/skills/install"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
# Since 2026-07-28 each request says what `initialize` did before.
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
READS_ONLY = {
    "readOnlyHint": True,
    "idempotentHint": True,
    "destructiveHint": False,
    "openWorldHint": False,
}


def send(client, method, params=None, **extra):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    return client.post(URL, message, **extra)


def result(client, method, params=None, **extra):
    answer = send(client, method, params, **extra)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    message = answer.json()
    assert message == {"jsonrpc": "2.0", "id": 7, "result": message["result"]}
    return message["result"]


def call(client, tool, **arguments):
    return result(client, "tools/call", {"name": tool, "arguments": arguments})


def success(data):
    return {
        "content": [{"type": "text", "text": json.dumps(data, separators=(",", ":"))}],
        "structuredContent": data,
        "isError": False,
    }


def refusal(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


def modern(method, **params):
    """The arguments of `send` as a client of 2026-07-28 fills them."""
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return {"method": method, "params": {**params, "_meta": MODERN}, "headers": headers}


@pytest.mark.parametrize("url", ["/mcp", "/mcp/"])
def test_it_introduces_itself(anyone, url):
    message = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": HELLO}

    answer = anyone.post(url, message)

    said = answer.json()
    instructions = said["result"].pop("instructions")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert said == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {
                "name": "agent-marketplace",
                "title": "Agent marketplace",
                "version": "1.0.0",
            },
        },
    }
    assert "POST to http://testserver/api/v1/agents/register" in instructions
    assert "`Authorization: Bearer <token>`" in instructions


def test_its_version_is_the_projects(anyone):
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]

    assert result(anyone, "initialize", HELLO)["serverInfo"]["version"] == project["version"]


def test_it_introduces_itself_to_a_client_without_initialize(anyone):
    answer = send(anyone, **modern("server/discover"))

    assert answer.status_code == 200
    assert answer.json()["result"]["supportedVersions"] == ["2026-07-28"]


def test_it_offers_its_tools(anyone):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    assert {name: tool["annotations"] for name, tool in tools.items()} == {
        "search_skills": READS_ONLY,
        "get_skill": READS_ONLY,
        "search_personas": READS_ONLY,
        "get_persona": READS_ONLY,
        "register_agent": {**READS_ONLY, "readOnlyHint": False, "idempotentHint": False},
        "install_skill": {**READS_ONLY, "readOnlyHint": False},
        "install_persona": {**READS_ONLY, "readOnlyHint": False},
        "confirm_claim": {**READS_ONLY, "readOnlyHint": False},
        "submit_review": {**READS_ONLY, "readOnlyHint": False, "destructiveHint": True},
        "my_profile": READS_ONLY,
    }
    assert all(tool["title"] and tool["description"] for tool in tools.values())


@pytest.mark.parametrize(
    ("tool", "required", "properties"),
    [
        (
            "search_skills",
            [],
            {
                "query": {"type": "string", "maxLength": 200},
                "category": {"type": "string"},
                "runtime": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
        ),
        ("get_persona", ["slug"], {"slug": {"type": "string", "minLength": 1}}),
        (
            "register_agent",
            [],
            {
                "name": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": r"\S"},
                "description": {"type": "string", "maxLength": 500},
                "runtime": {"type": "string", "maxLength": 64},
                "handle": {
                    "type": "string",
                    "minLength": 3,
                    "maxLength": 39,
                    "pattern": f"^{handles.SHAPE}$",
                },
            },
        ),
        (
            "install_skill",
            ["slug"],
            {
                "slug": {"type": "string", "minLength": 1},
                "runtime": {"type": "string", "default": ""},
            },
        ),
        (
            "install_persona",
            ["slug"],
            {
                "slug": {"type": "string", "minLength": 1},
                "setActive": {"type": "boolean", "default": False},
            },
        ),
        (
            "submit_review",
            ["rating", "personaSlug"],
            {
                "rating": {"type": "number", "minimum": 1, "maximum": 5},
                "personaSlug": {"type": "string", "minLength": 1},
                "comment": {"type": "string", "maxLength": 1000, "default": ""},
            },
        ),
        ("confirm_claim", ["code"], {"code": {"type": "string"}}),
        ("my_profile", [], {}),
    ],
)
def test_a_tool_declares_the_bounds_of_the_api(anyone, tool, required, properties):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    schema = tools[tool]["inputSchema"]

    assert all(declared.pop("description") for declared in schema["properties"].values())
    assert schema == {"type": "object", "properties": properties, "required": required}


READS = [
    ("search_skills", {}, "/api/v1/skills"),
    (
        "search_skills",
        {"query": "tables", "category": "data", "runtime": "python", "limit": 1},
        "/api/v1/skills?query=tables&category=data&runtime=python&limit=1",
    ),
    ("search_skills", {"query": None, "limit": 1}, "/api/v1/skills?limit=1"),
    ("search_skills", {"query": "c++ & ü"}, "/api/v1/skills?query=c%2B%2B+%26+%C3%BC"),
    ("search_personas", {"query": "scribe"}, "/api/v1/personas?query=scribe"),
    ("get_skill", {"slug": "wanted"}, "/api/v1/skills/wanted"),
    ("get_persona", {"slug": "scribe"}, "/api/v1/personas/scribe"),
    ("my_profile", {}, "/api/v1/agents/me"),
]


@pytest.fixture
def catalogue(db):
    skills = [
        SkillFactory(slug=slug, title="Tables", category="data", runtimes=["python"])
        for slug in ("wanted", "other")
    ]
    PersonaFactory(slug="scribe", title="The Scribe", skills=skills)


@pytest.mark.parametrize(("tool", "arguments", "twin"), READS)
@pytest.mark.usefixtures("catalogue")
def test_a_reading_tool_answers_what_the_api_does(client, tool, arguments, twin):
    answer = client.get(twin)
    assert answer.status_code == 200

    said = call(client, tool, **arguments)

    assert said["content"] == [{"type": "text", "text": answer.content.decode()}]
    assert said["structuredContent"] == answer.json()
    assert said["isError"] is False


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("again", [False, True], ids=["for the first time", "again"])
@pytest.mark.parametrize(("tool", "arguments", "twin"), READS)
@pytest.mark.usefixtures("catalogue")
def test_a_reading_tool_asks_no_more_queries_than_the_api(client, tool, arguments, twin, again):
    client.get("/api/v1/agents/me")  # the token's last use is written now and not again
    asked = []
    for ask in (lambda: client.get(twin), lambda: call(client, tool, **arguments)):
        cached_responses.clear()
        if again:
            ask()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            ask()
        asked.append(len(queries))

    assert asked[0] == asked[1] > 0


@pytest.mark.usefixtures("catalogue")
def test_it_gives_an_answer_again_that_the_api_has_given(anyone):
    anyone.get("/api/v1/skills/wanted")

    with CaptureQueriesContext(connection) as queries:
        call(anyone, "get_skill", slug="wanted")

    assert len(queries) == 1


def test_it_answers_in_full_whatever_the_client_has_already(anyone):
    SkillFactory(slug="wanted")
    params = {"name": "get_skill", "arguments": {"slug": "wanted"}}

    said = result(anyone, "tools/call", params, headers={"If-None-Match": "*"})

    assert said["structuredContent"]["slug"] == "wanted"


def test_it_installs_a_skill(client, agent):
    skill = SkillFactory(slug="wanted")

    said = call(client, "install_skill", slug="wanted", runtime="python")

    assert said == success(
        {"message": "Skill installed", "skillId": skill.public_id, "slug": "wanted"}
    )
    skill.refresh_from_db()
    assert skill.downloads == 1
    assert agent.skill_installs.get().runtime == "python"


def test_it_installs_a_persona_as_the_active_one(client, agent):
    persona = PersonaFactory(slug="scribe")

    said = call(client, "install_persona", slug="scribe", setActive=True)

    assert said == success(
        {
            "message": "Persona installed",
            "personaId": persona.public_id,
            "slug": "scribe",
            "isActive": True,
        }
    )
    assert agent.persona_installs.get().is_active


def test_it_submits_a_review_and_replaces_it(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe")

    first = call(client, "submit_review", personaSlug="scribe", rating=2, comment="Slow.")
    second = call(client, "submit_review", personaSlug="scribe", rating=4.5)

    given = first["structuredContent"]
    assert first == success(
        {
            "message": "Review submitted",
            "reviewId": given["reviewId"],
            "personaSlug": "scribe",
            "rating": 2,
            "comment": "Slow.",
            "createdAt": given["createdAt"],
            "updatedAt": given["updatedAt"],
        }
    )
    assert second == success(
        {
            **given,
            "message": "Review updated",
            "rating": 4.5,
            "comment": "",
            "updatedAt": second["structuredContent"]["updatedAt"],
        }
    )


def test_it_registers_an_agent_whose_token_works(anyone, client_of):
    registered = call(anyone, "register_agent", name="Walker", handle="walker", runtime="python")

    given = registered["structuredContent"]
    assert registered == success(given)
    assert (given["handle"], given["name"], given["runtime"]) == ("walker", "Walker", "python")
    assert client_of(token=given["token"]).get("/api/v1/agents/me").json()["handle"] == "walker"


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("get_skill", {}, "slug is required"),
        ("get_skill", {"slug": ""}, "slug is required"),
        ("get_skill", {"slug": None}, "slug is required"),
        ("get_skill", {"slug": ["wanted"]}, "slug must be a string"),
        ("get_skill", {"slug": "no-such"}, "Skill not found"),
        ("get_skill", {"slug": "wanted/"}, "Skill not found"),
        ("get_skill", {"slug": "../agents/me"}, "Skill not found"),
        ("get_skill", {"slug": "wanted?x=%20ü"}, "Skill not found"),
        ("get_persona", {"slug": "no-such"}, "Persona not found"),
        ("search_skills", {"query": 5}, "query must be a string"),
        ("search_skills", {"query": "x" * 201}, "query must be at most 200 characters"),
        ("search_skills", {"limit": 0}, "limit must be a whole number from 1 to 100"),
        ("search_skills", {"limit": "5"}, "limit must be a whole number from 1 to 100"),
        ("search_skills", {"limit": True}, "limit must be a whole number from 1 to 100"),
        (
            "search_personas",
            {"runtime": {}, "limit": 1.5},
            "runtime must be a string; limit must be a whole number from 1 to 100",
        ),
        (
            "search_skills",
            {"tag": ["red"]},
            "Unknown argument 'tag'. Allowed: query, category, runtime, limit",
        ),
        ("install_skill", {}, "slug is required"),
        ("install_skill", {"slug": "no-such"}, "Skill not found"),
        ("install_skill", {"slug": "wanted", "runtime": 3}, "runtime must be a string"),
        ("install_persona", {"slug": "scribe", "setActive": 1}, "setActive must be a boolean"),
        (
            "install_persona",
            {"slug": "priced"},
            "This persona requires payment. Agent API currently supports free personas only.",
        ),
        ("submit_review", {"personaSlug": "scribe"}, "Rating must be between 1 and 5"),
        ("submit_review", {"personaSlug": "scribe", "rating": 6}, "Rating must be between 1 and 5"),
        (
            "submit_review",
            {"personaSlug": "scribe", "rating": 5},
            "You must install this persona before reviewing it",
        ),
        ("register_agent", {"handle": "caller"}, "Handle already taken"),
        ("register_agent", {"name": "x" * 81}, "name must be at most 80 characters"),
    ],
)
@pytest.mark.usefixtures("catalogue")
def test_a_refused_tool_says_why_as_the_api_does(client, tool, arguments, text):
    PersonaFactory(slug="priced", price_cents=500)

    assert call(client, tool, **arguments) == refusal(text)


def test_an_install_that_there_is_already_is_refused(client):
    SkillFactory(slug="wanted")
    client.post(INSTALL, {"slug": "wanted"})

    assert call(client, "install_skill", slug="wanted") == refusal("Skill already installed")


PROTECTED = {
    "install_skill": {"slug": "wanted"},
    "install_persona": {"slug": "scribe"},
    "submit_review": {"personaSlug": "scribe", "rating": 5},
    "confirm_claim": {"code": "BBBB-BBBB"},
    "my_profile": {},
}


@pytest.mark.parametrize("tool", PROTECTED)
def test_it_wants_a_token_for_what_is_the_agents_own(anyone, tool):
    assert call(anyone, tool, **PROTECTED[tool]) == refusal("Authentication required")


@pytest.mark.parametrize("tool", PROTECTED)
def test_it_wants_the_tokens_scope(client_of, agent, tool):
    scopes = {"my_profile": "read", "confirm_claim": "read", "submit_review": "review"}
    scope = scopes.get(tool, "install")
    others = {"read", "install", "review"} - {scope}
    limited = client_of(token=AgentToken.objects.issue(agent, scopes=sorted(others)).text)

    assert call(limited, tool, **PROTECTED[tool]) == refusal("Insufficient permissions")


@pytest.mark.usefixtures("catalogue")
def test_a_token_that_is_refused_does_not_matter_where_none_is_needed(client_of):
    stranger = client_of(token="mkt_agent_unknown")

    assert call(stranger, "my_profile") == refusal("Authentication required")
    assert call(stranger, "get_skill", slug="wanted")["isError"] is False


def test_it_shares_the_limits_of_the_api(client, rates):
    rates(install="2/h")
    client.post(INSTALL, {"slug": "no-such"})
    call(client, "install_persona", slug="no-such")

    said = call(client, "install_skill", slug="no-such")
    seconds = client.post(INSTALL, {"slug": "no-such"})["Retry-After"]

    assert said["content"][0]["text"].startswith("Rate limit exceeded. Try again in ")
    assert abs(int(said["content"][0]["text"].split()[-2]) - int(seconds)) <= 1
    assert said["isError"] is True


def test_registrations_are_counted_by_address(anyone, rates, settings):
    rates(register="1/h")
    settings.TRUSTED_PROXY_COUNT = 1
    params = {"name": "register_agent"}

    refused = [
        result(anyone, "tools/call", params, headers={"X-Forwarded-For": address})["isError"]
        for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")
    ]

    assert refused == [False, True, False]


def test_it_serves_clients_without_initialize_alike(client):
    SkillFactory(slug="wanted")

    answer = send(
        client, **modern("tools/call", name="install_skill", arguments={"slug": "wanted"})
    )

    said = answer.json()["result"]
    assert said["structuredContent"]["message"] == "Skill installed"
    assert said["resultType"] == "complete"


def test_links_keep_the_scheme_and_the_host_of_the_client(anyone, settings):
    settings.REQUIRE_HTTPS = True
    SkillFactory.create_batch(2)

    said = result(
        anyone, "tools/call", {"name": "search_skills", "arguments": {"limit": 1}}, secure=True
    )

    assert said["structuredContent"]["next"].startswith("https://testserver/api/v1/skills?")


def test_it_wants_https_like_the_api(anyone, settings):
    settings.REQUIRE_HTTPS = True

    answer = send(anyone, "ping")

    assert answer.status_code == 403
    assert answer.json() == {"error": "HTTPS is required"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OperationalError("connection refused"),
            "Service temporarily unavailable. Try again in a few seconds.",
        ),
        (RuntimeError("the secret detail"), "Internal server error"),
    ],
)
def test_a_crash_is_a_refusal_that_tells_nothing(anyone, monkeypatch, error, text):
    def page(*_):
        raise error

    monkeypatch.setattr(SkillListQuery, "page", page)

    assert call(anyone, "search_skills") == refusal(text)


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        (
            "tools/call",
            {"name": "no_such"},
            (-32602, f"Unknown tool. There are {', '.join(TOOLS)}"),
        ),
        (
            "tools/call",
            {"name": "get_skill", "arguments": []},
            (-32602, "Invalid request parameters"),
        ),
        ("tools/call", {}, (-32602, "Invalid request parameters")),
        ("initialize", {}, (-32602, "Invalid request parameters")),
        ("resources/list", {}, (-32601, "Method not found")),
        ("no/such", {}, (-32601, "Method not found")),
    ],
)
def test_a_mistake_of_the_protocol_is_answered_in_the_protocol(anyone, method, params, error):
    answer = send(anyone, method, params)

    said = answer.json()
    assert (answer.status_code, said["id"]) == (200, 7)
    assert (said["error"]["code"], said["error"]["message"]) == error


def test_an_unknown_version_of_the_protocol_is_refused_with_the_known_ones(anyone):
    request = modern("tools/list")
    request["headers"]["MCP-Protocol-Version"] = "2099-01-01"
    request["params"]["_meta"] = {
        **MODERN,
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
    }

    answer = send(anyone, **request)

    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == -32022
    assert answer.json()["error"]["data"]["supported"] == ["2026-07-28"]


def test_an_older_version_is_negotiated(anyone):
    said = result(anyone, "initialize", {**HELLO, "protocolVersion": "1999-01-01"})

    assert said["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/no-such", "params": {"x": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_what_wants_no_answer_gets_none(anyone, message):
    answer = anyone.post(URL, message)

    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 400, "Request body is not valid JSON"),
        (b"{", 400, "Request body is not valid JSON"),
        (b"[" * 30000 + b"]" * 30000, 400, "Request body is not valid JSON"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, "Request body must be a JSON object"),
        (b"{}", 400, "Request body must be a JSON-RPC request or notification"),
        (
            b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
            400,
            "id must be a string or a whole number",
        ),
        (
            b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
            400,
            "id must be a string or a whole number",
        ),
        (
            b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
            400,
            "Request body must be a JSON-RPC request or notification",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}',
            400,
            "Request body must be a JSON-RPC request or notification",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\\u0000b"}}',
            400,
            "Request body must not contain NUL characters",
        ),
        (b'{"a":"' + b"x" * 65536 + b'"}', 413, "Request body is too large"),
    ],
)
def test_what_is_no_message_is_refused_as_everywhere(anyone, body, status, text):
    answer = anyone.post(URL, body)

    assert answer.status_code == status
    assert answer.json() == {"error": text}


def test_it_reads_json_only(anyone):
    answer = anyone.post(URL, b"a=1", content_type="application/x-www-form-urlencoded")

    assert answer.status_code == 415
    assert answer.json() == {"error": "Content-Type must be application/json"}


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_messages_are_posted(anyone, method):
    answer = anyone.generic(method, URL)

    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    if method != "HEAD":
        assert answer.json() == {"error": f"Method {method} is not allowed here; use POST"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Accept": "text/html"},
        {"Accept": "application/json, text/event-stream"},
        {"Content-Type": "Application/JSON; charset=UTF-8"},
        {"Origin": "https://elsewhere.example"},
        {"Mcp-Session-Id": "forgotten"},
        {"MCP-Protocol-Version": "2025-03-26"},
    ],
    ids=str,
)
def test_it_answers_in_json_whatever_the_client_sends_along(anyone, headers):
    content_type = headers.get("Content-Type", "application/json")

    answer = send(anyone, "ping", headers=headers, content_type=content_type)

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer.json() == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_it_does_not_serve_a_foreign_host(anyone):
    answer = send(anyone, "ping", headers={"Host": "rebound.example"})

    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]


def test_a_token_that_an_argument_holds_by_mistake_is_not_stored(client, agent):
    said = call(client, "register_agent", name=agent.token.text)

    assert said == refusal("name must not hold a token")
    assert Agent.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_sdk_is_imported_for_the_first_message_only(monkeypatch):
    program = """
import json, sys, django
django.setup()
from django.test import Client
client = Client(SERVER_NAME="localhost")
assert client.get("/api/v1/skills").status_code == 200
assert client.get("/mcp").status_code == 405
print("mcp" in sys.modules)
message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
assert client.post("/mcp", json.dumps(message), "application/json").status_code == 200
print("mcp" in sys.modules)
"""
    monkeypatch.setenv("DATABASE_URL", url_of_test_database())
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "marketplace.settings")

    process = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )

    assert process.stdout.split()[-2:] == ["False", "True"]
