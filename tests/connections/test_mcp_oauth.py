"""/mcp/oauth, and /mcp of a members-only catalogue, for clients that sign in (contract 35)"""

import pytest

from agents.models import AgentToken
from tests.interfaces.mcp_calls import HELLO

URL, DOCUMENT = "/mcp/oauth", "http://testserver/.well-known/oauth-protected-resource"
HINTS = 'resource_metadata="{}", scope="read install review"'
OF_TOKENS = {"register_agent", "confirm_claim", "create_token", "rotate_token", "revoke_token"}


def send(client, method, params=None, url=URL, **extra):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    return client.post(url, message, **extra)


def result(client, method, params=None, url=URL):
    response = send(client, method, params, url)
    assert response.status_code == 200, response.content
    return response.json()["result"]


def assert_signs_in(response, challenge):
    assert (response.status_code, response.json()) == (401, {"error": "Authentication required"})
    assert response["WWW-Authenticate"] == challenge
    assert response["Cache-Control"] == "no-store"


@pytest.fixture
def client(client_of, connection):
    return client_of(token=connection.access_token)


@pytest.fixture(params=["/mcp/oauth", "/mcp"])
def challenge(request, settings):
    """The address of each that signs in, and its challenge without and with a token."""
    if request.param == "/mcp":
        settings.CATALOGUE = "members"
    hints = HINTS.format(f"{DOCUMENT}{request.param}")
    return request.param, f"Bearer {hints}", f'Bearer error="invalid_token", {hints}'


@pytest.mark.contract("35.10")
def test_a_message_without_a_usable_token_is_an_invitation_to_sign_in(
    anyone, client_of, connected, challenge
):
    url, without, refused = challenge
    expired = AgentToken.objects.issue(connected, expires_at=connected.created_at).text

    for method in ("initialize", "tools/list", "no/such"):
        assert_signs_in(send(anyone, method, HELLO, url), without)
        basic = {"Authorization": "Basic eDp5"}
        assert_signs_in(send(anyone, method, HELLO, url, headers=basic), without)
        for text in ("mkt_agent_unknown", expired):
            assert_signs_in(send(client_of(token=text), method, HELLO, url), refused)


@pytest.mark.contract("35.10")
def test_that_comes_after_405_and_415_and_before_the_body(anyone, challenge):
    url, without, _ = challenge

    assert anyone.delete(url).status_code == 405
    assert anyone.post(url, "a", content_type="text/plain").status_code == 415
    assert_signs_in(anyone.post(url, "no json", content_type="application/json"), without)


@pytest.mark.contract("35.10")
def test_a_client_that_begins_with_a_stream_signs_in_too(anyone, client, client_of, challenge):
    url, without, refused = challenge

    assert_signs_in(anyone.get(url, headers={"Accept": "text/event-stream"}), without)
    assert_signs_in(client_of(token="mkt_agent_unknown").get(url), refused)
    assert client.get(url).status_code == 405


@pytest.mark.contract("35.10")
def test_public_mcp_stays_as_it_is(anyone, client_of):
    assert send(anyone, "tools/list", url="/mcp").status_code == 200
    assert anyone.get("/mcp").status_code == 405

    refused = send(client_of(token="mkt_agent_unknown"), "tools/list", url="/mcp")
    assert refused["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert refused.json()["error"].startswith("Your token was refused")


@pytest.mark.contract("35.9")
def test_a_connection_is_offered_every_tool_but_five(client, client_of, connected):
    names = {tool["name"] for tool in result(client, "tools/list")["tools"]}
    all_names = {tool["name"] for tool in result(client, "tools/list", url="/mcp")["tools"]}

    assert all_names - names == OF_TOKENS
    assert names < all_names
    core = {tool["name"] for tool in result(client, "tools/list", url=f"{URL}?tools=core")["tools"]}
    assert core == {
        *("search_skills", "get_skill", "get_skill_file", "search_personas", "get_persona"),
        *("install_skill", "install_persona", "my_manifest", "report"),
    }
    # The same at this address for the agent itself.
    own = result(client_of(connected), "tools/list")["tools"]
    assert {tool["name"] for tool in own} == names


@pytest.mark.contract("35.9")
def test_the_five_cannot_be_called(client):
    for name in OF_TOKENS:
        call = {"name": name, "arguments": {}}
        error = send(client, "tools/call", call).json()["error"]
        assert error["message"].startswith("Unknown tool"), name
        assert name not in error["message"]
        told = result(client, "tools/call", call, url="/mcp")
        text = told["content"][0]["text"]
        if name != "revoke_token":  # whose arguments the tool checks first
            assert (told["isError"], text) == (True, "A connection cannot manage tokens"), name


@pytest.mark.contract("35.9")
def test_the_handshake_does_not_tell_it_to_register(client):
    told = result(client, "initialize", HELLO)["instructions"]

    assert "register" not in told
    assert "You act here as the agent" in told
    assert "http://testserver/operator" in told
    assert "http://testserver/mcp/oauth?tools=core" in told


@pytest.mark.contract("35.9")
def test_it_works_at_mcp_and_for_the_api(client):
    profile = result(client, "tools/call", {"name": "my_profile", "arguments": {}})
    assert profile["structuredContent"]["handle"] == "paper-mill"
    assert "claimUrl" not in profile["structuredContent"]["claim"]
    assert result(client, "tools/call", {"name": "my_limits", "arguments": {}}, url="/mcp")
    assert client.get("/api/v1/agents/me").status_code == 200
