"""MCP at /mcp: the protocol, and bodies that are no messages."""

import tomllib

import pytest

from demo.postgres import CHECKOUT
from tests.factories import SkillFactory
from tests.interfaces.mcp_calls import HELLO, URL, VERSIONS, modern, result, send

TOOLS = [
    *("search_skills", "get_skill", "list_skill_files", "get_skill_file", "list_versions"),
    *("list_facets", "list_changes", "search_personas", "get_persona", "register_agent"),
    *("confirm_claim", "my_profile", "my_manifest", "my_limits", "list_tokens", "create_token"),
    *("rotate_token", "revoke_token", "install_skill"),
    *("install_persona", "uninstall_skill", "uninstall_persona", "activate_persona"),
    *("deactivate_persona", "update_skill", "update_persona", "pin_skill", "unpin_skill"),
    *("pin_persona", "unpin_persona", "my_skills", "my_personas"),
    *("submit_review", "report", "list_reviews", "my_reviews", "delete_review"),
    *("submit_skill", "submit_persona", "my_submissions", "withdraw_submission"),
]


@pytest.mark.parametrize("url", ["/mcp", "/mcp/"])
def test_it_introduces_itself(anyone, url):
    message = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": HELLO}

    response = anyone.post(url, message)

    introduction = response.json()
    instructions = introduction["result"].pop("instructions")
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert introduction == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {
                "tools": {"listChanged": False},
                "prompts": {"listChanged": False},
                "resources": {"subscribe": False, "listChanged": False},
                "extensions": {"io.modelcontextprotocol/skills": {}},
            },
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


@pytest.mark.contract("22.4")
def test_it_introduces_itself_to_a_client_without_initialize(anyone):
    response = send(anyone, **modern("server/discover"))

    assert response.status_code == 200
    assert response.json()["result"]["supportedVersions"] == VERSIONS


def test_it_serves_clients_without_initialize_alike(client):
    SkillFactory(slug="wanted")

    response = send(
        client, **modern("tools/call", name="install_skill", arguments={"slug": "wanted"})
    )

    outcome = response.json()["result"]
    assert outcome["structuredContent"]["message"] == "Skill installed"
    assert outcome["resultType"] == "complete"


@pytest.mark.contract("24.5")
def test_it_wants_https_like_the_api(anyone, settings):
    settings.REQUIRE_HTTPS = True

    response = send(anyone, "ping")

    assert response.status_code == 403
    assert response.json() == {"error": "HTTPS is required"}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        (
            "tools/call",
            {"name": "no_such"},
            (-32602, f"Unknown tool. The tools are {', '.join(TOOLS)}"),
        ),
        (
            "tools/call",
            {"name": "get_skill", "arguments": []},
            (-32602, "Invalid request parameters"),
        ),
        ("tools/call", {}, (-32602, "Invalid request parameters")),
        ("initialize", {}, (-32602, "Invalid request parameters")),
        ("completion/complete", {}, (-32601, "Method not found")),
        ("no/such", {}, (-32601, "Method not found")),
    ],
)
def test_an_error_of_the_protocol_is_a_message_of_the_protocol(anyone, method, params, error):
    response = send(anyone, method, params)

    message = response.json()
    assert (response.status_code, message["id"]) == (200, 7)
    assert (message["error"]["code"], message["error"]["message"]) == error


@pytest.mark.contract("22.4")
@pytest.mark.parametrize("number", [0, "", "ü", 10**40, "0" * 40])
def test_a_response_has_the_id_of_its_request(anyone, number):
    responses = [
        anyone.post(URL, {"jsonrpc": "2.0", "id": number, "method": method})
        for method in ("ping", "no/such")
    ]

    assert [response.json()["id"] for response in responses] == [number, number]


def test_a_secret_in_the_name_of_a_method_is_not_repeated(anyone):
    response = send(anyone, "mkt_agent_" + "a" * 40)

    assert response.json()["error"]["data"] == "mkt_agent_[masked]"


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/no-such", "params": {"x": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": None},
    ],
)
def test_notifications_and_responses_get_no_response(anyone, message):
    response = anyone.post(URL, message)

    assert (response.status_code, response.content) == (202, b"")
    assert response["Content-Type"] == "application/json"


@pytest.mark.contract("22.4")
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
            b'{"jsonrpc":"2.0","id":1,"method":1,"result":{}}',
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
def test_a_body_that_is_no_message_is_refused(anyone, body, status, text):
    response = anyone.post(URL, body)

    assert response.status_code == status
    assert response.json() == {"error": text}


def test_it_reads_json_only(anyone):
    response = anyone.post(URL, b"a=1", content_type="application/x-www-form-urlencoded")

    assert response.status_code == 415
    assert response.json() == {"error": "Content-Type must be application/json"}


@pytest.mark.contract("22.3")
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_messages_are_posted(anyone, method):
    response = anyone.generic(method, URL)

    assert (response.status_code, response["Allow"]) == (405, "POST")
    if method != "HEAD":
        assert response.json() == {"error": f"Method {method} is not allowed here; use POST"}


@pytest.mark.contract("22.3")
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
def test_it_responds_in_json_whatever_the_headers_of_the_client(anyone, headers):
    content_type = headers.get("Content-Type", "application/json")

    response = send(anyone, "ping", headers=headers, content_type=content_type)

    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response.json() == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_it_does_not_serve_a_foreign_host(anyone):
    response = send(anyone, "ping", headers={"Host": "rebound.example"})

    assert response.status_code == 400
    assert list(response.json()) == ["error"]


def test_a_notification_that_is_named_as_a_request_fails_nothing(anyone, caplog):
    for method in ("initialize", "tools/list", "skills/list"):
        message = {"jsonrpc": "2.0", "method": method, "params": HELLO}

        response = anyone.post(URL, message)

        assert (response.status_code, response.content) == (202, b"")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
