"""The versions of MCP: with a handshake, without one, and unknown ones"""

from base64 import b64encode

import pytest

from tests.interfaces.mcp_calls import HELLO, MODERN, URL, modern, result, send

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.mark.contract("22.4")
@pytest.mark.parametrize(
    "version",
    [
        *("1999-01-01", "2025-06-17", "2099-01-01", "2025-6-18", "2025-06-18, 2025-06-18"),
        *("", "latest", "DRAFT-2026-v1", "draft-2026-v1"),
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "initialize", "no/such"])
def test_an_unknown_version_of_the_protocol_is_refused_with_the_known_ones(anyone, version, method):
    request = modern(method)
    request["headers"]["MCP-Protocol-Version"] = version
    request["params"]["_meta"] = {
        **MODERN,
        "io.modelcontextprotocol/protocolVersion": version,
    }
    error = {
        "code": -32022,
        "message": "Unsupported protocol version",
        "data": {"supported": VERSIONS, "requested": version},
    }

    with_envelope = send(anyone, **request)
    without = send(anyone, method, headers={"MCP-Protocol-Version": version})

    for response in (with_envelope, without):
        assert response.status_code == 400
        assert response["Content-Type"] == "application/json"
        assert response.json() == {"jsonrpc": "2.0", "id": 7, "error": error}


@pytest.mark.contract("22.4")
def test_a_notification_of_an_unknown_version_is_refused(anyone):
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    response = anyone.post(URL, message, headers={"MCP-Protocol-Version": "1999-01-01"})

    assert response.status_code == 400
    error = {
        "code": -32022,
        "message": "Unsupported protocol version",
        "data": {"supported": VERSIONS, "requested": "1999-01-01"},
    }
    assert response.json() == {"jsonrpc": "2.0", "error": error}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize("version", VERSIONS[:-1])
def test_each_version_with_a_handshake_is_served(anyone, version):
    headers = {"MCP-Protocol-Version": version}

    assert result(anyone, "ping", headers=headers) == {}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize(
    ("headers", "meta", "error"),
    [
        ({}, None, (-32602, "Invalid request parameters")),
        ({}, {}, (-32602, "Invalid request parameters")),
        ({}, {**MODERN, CAPABILITIES: []}, (-32602, "Invalid request parameters")),
        (
            {},
            {**MODERN, "io.modelcontextprotocol/protocolVersion": "2099-01-01"},
            (-32020, "MCP-Protocol-Version does not match the request body"),
        ),
        (
            {"Mcp-Method": "tools/list"},
            MODERN,
            (-32020, "Mcp-Method does not match the request body"),
        ),
        ({"Mcp-Name": "no_such"}, MODERN, (-32020, "Mcp-Name does not match the request body")),
        (
            {"Mcp-Name": "=?base64?w?="},
            MODERN,
            (-32020, "Mcp-Name does not match the request body"),
        ),
    ],
)
def test_without_initialize_headers_and_body_say_the_same(anyone, headers, meta, error):
    request = modern("tools/call", name="list_facets")
    request["headers"] |= headers
    request["params"]["_meta"] = meta

    message = send(anyone, **request).json()

    assert message["id"] == 7
    assert (message["error"]["code"], message["error"]["message"]) == error


def test_a_name_that_no_header_holds_comes_in_base64(anyone):
    uri = "skill://skills/straße/SKILL.md"
    request = modern("resources/read", uri=uri)
    request["headers"]["Mcp-Name"] = f"=?base64?{b64encode(uri.encode()).decode()}?="

    error = send(anyone, **request).json()["error"]

    assert error["data"] == {"uri": uri}


@pytest.mark.parametrize("method", ["initialize", "ping"])
def test_a_method_of_the_handshake_is_unknown_without_it(anyone, method):
    with_handshake = send(anyone, "server/discover").json()["error"]
    without = send(anyone, **modern(method, **HELLO)).json()["error"]

    assert with_handshake == {
        "code": -32601,
        "message": "Method not found",
        "data": "server/discover",
    }
    assert without == {"code": -32601, "message": "Method not found", "data": method}


def test_a_secret_in_the_header_of_the_version_is_not_repeated(anyone):
    headers = {"MCP-Protocol-Version": "mkt_agent_" + "a" * 40}

    error = send(anyone, "ping", headers=headers).json()["error"]

    assert error["data"]["requested"] == "mkt_agent_[masked]"


def test_an_older_version_is_negotiated(anyone):
    introduction = result(anyone, "initialize", {**HELLO, "protocolVersion": "1999-01-01"})

    assert introduction["protocolVersion"] == "2025-11-25"
