"""Messages of MCP to /mcp, and what comes back."""

import json

URL = "/mcp"
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
NO_TOKEN = (
    "Authentication required. Send your token with every request to this server in the header "
    "`Authorization: Bearer <token>`. If you have never registered, register_agent gives you a "
    "token; if yours is lost or refused, tell your operator instead, because registering again "
    "makes a second agent."
)
# Since 2026-07-28 each request says what `initialize` did before.
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def send(client, method, params=None, **extra):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    return client.post(URL, message, **extra)


def result(client, method, params=None, **extra):
    response = send(client, method, params, **extra)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    message = response.json()
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
    """The arguments of `send` for a client of 2026-07-28."""
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return {"method": method, "params": {**params, "_meta": MODERN}, "headers": headers}
