"""The versions of MCP: with a handshake, without one, and unknown ones"""

from base64 import b64encode
from unittest.mock import Mock

import pytest
from django.db import OperationalError

from tests.interfaces.mcp_calls import HELLO, MODERN, URL, VERSIONS, modern, result, send

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


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

    response = send(anyone, **request)

    message = response.json()
    assert (response.status_code, message["id"]) == (400, 7)
    assert (message["error"]["code"], message["error"]["message"]) == error


def test_a_name_that_no_header_holds_comes_in_base64(anyone):
    uri = "skill://skills/straße/SKILL.md"
    request = modern("resources/read", uri=uri)
    request["headers"]["Mcp-Name"] = f"=?base64?{b64encode(uri.encode()).decode()}?="

    error = send(anyone, **request).json()["error"]

    assert error["data"] == {"uri": uri}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize("version", [None, *VERSIONS[:-1]])
def test_an_unknown_method_is_a_200_with_a_handshake(anyone, version):
    headers = {"MCP-Protocol-Version": version} if version else {}

    response = send(anyone, "server/discover", headers=headers)

    error = {"code": -32601, "message": "Method not found", "data": "server/discover"}
    assert response.status_code == 200
    assert response.json() == {"jsonrpc": "2.0", "id": 7, "error": error}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"]
)
def test_an_unknown_or_removed_method_is_a_404_without_a_handshake(anyone, method):
    response = send(anyone, **modern(method, **HELLO))

    error = {"code": -32601, "message": "Method not found", "data": method}
    assert response.status_code == 404
    assert response.json() == {"jsonrpc": "2.0", "id": 7, "error": error}


@pytest.mark.contract("22.4")
@pytest.mark.parametrize(
    "request_", [modern("tools/call", name="no_such"), modern("tools/call", name="get_skill")]
)
def test_an_unknown_tool_and_bad_arguments_are_a_200_in_every_version(anyone, request_):
    responses = [
        send(anyone, **request_),
        send(anyone, request_["method"], request_["params"]),
    ]

    assert [response.status_code for response in responses] == [200, 200]
    modern_body, body = (response.json() for response in responses)
    assert body.get("error") == modern_body.get("error")


@pytest.mark.contract("22.4", "22.11", "3.8")
def test_an_unavailable_database_is_a_503_without_a_handshake(client, monkeypatch):
    monkeypatch.setattr("installs.reads.manifest", Mock(side_effect=OperationalError("away")))

    with_handshake = send(client, "skills/list")
    without = send(client, **modern("skills/list"))

    sentence = "Service temporarily unavailable. Try again in a few seconds."
    error = {"code": -32603, "message": sentence}
    assert (with_handshake.status_code, without.status_code) == (200, 503)
    assert without["Retry-After"] == "2"
    for response in (with_handshake, without):
        assert response.json() == {"jsonrpc": "2.0", "id": 7, "error": error}


def test_a_secret_in_the_header_of_the_version_is_not_repeated(anyone):
    headers = {"MCP-Protocol-Version": "mkt_agent_" + "a" * 40}

    error = send(anyone, "ping", headers=headers).json()["error"]

    assert error["data"]["requested"] == "mkt_agent_[masked]"


def test_an_older_version_is_negotiated(anyone):
    introduction = result(anyone, "initialize", {**HELLO, "protocolVersion": "1999-01-01"})

    assert introduction["protocolVersion"] == "2025-11-25"
