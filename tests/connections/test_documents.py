"""The documents by which clients find their way (contract 35.2 to 35.5)"""

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from tests.environments import SETTINGS, read

BASE = "http://testserver"
OF_RESOURCE = "/.well-known/oauth-protected-resource"
OF_SERVER = "/.well-known/oauth-authorization-server"
SERVER = {
    "issuer": BASE,
    "authorization_endpoint": f"{BASE}/operator/connect",
    "token_endpoint": f"{BASE}/oauth/token",
    "registration_endpoint": f"{BASE}/oauth/register",
    "revocation_endpoint": f"{BASE}/oauth/revoke",
    "scopes_supported": ["read", "install", "review"],
    "response_types_supported": ["code"],
    "response_modes_supported": ["query"],
    "grant_types_supported": ["authorization_code", "refresh_token"],
    "token_endpoint_auth_methods_supported": ["none"],
    "revocation_endpoint_auth_methods_supported": ["none"],
    "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True,
}
PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID, Mcp-Method, "
    "Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id",
    "Access-Control-Max-Age": "86400",
}
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Content-Range, ETag, Retry-After, WWW-Authenticate, "
    "X-Request-ID",
}


def resource_at(path):
    return {
        "resource": f"{BASE}{path}",
        "authorization_servers": [BASE],
        "scopes_supported": ["read", "install", "review"],
        "bearer_methods_supported": ["header"],
    }


def assert_document(response, document):
    assert (response.status_code, response.json()) == (200, document)
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "public, no-cache"
    assert response["ETag"]


@pytest.mark.contract("35.2", "35.4")
def test_the_metadata_of_the_server(anyone):
    assert_document(anyone.get(OF_SERVER), SERVER)

    secure = {
        name: value.replace("http:", "https:") if isinstance(value, str) else value
        for name, value in SERVER.items()
    }
    AuthorizationServerMetadata(secure).validate()


@pytest.mark.contract("35.4")
def test_the_issuer_is_the_public_address(anyone, settings):
    settings.PUBLIC_URL = "https://skills.example.com"

    assert anyone.get(OF_SERVER).json()["issuer"] == "https://skills.example.com"
    document = anyone.get(OF_RESOURCE).json()
    assert document["resource"] == "https://skills.example.com/mcp/oauth"
    assert document["authorization_servers"] == ["https://skills.example.com"]


@pytest.mark.contract("35.3")
def test_the_metadata_of_the_resource(anyone, settings):
    for path in (OF_RESOURCE, f"{OF_RESOURCE}/mcp/oauth"):
        assert_document(anyone.get(path), resource_at("/mcp/oauth"))
    absent = anyone.get(f"{OF_RESOURCE}/mcp")
    text = {"error": "Not found: the API has no such path"}
    assert (absent.status_code, absent.json()) == (404, text)

    settings.CATALOGUE = "members"

    assert_document(anyone.get(f"{OF_RESOURCE}/mcp"), resource_at("/mcp"))
    assert_document(anyone.get(OF_RESOURCE), resource_at("/mcp/oauth"))


@pytest.mark.contract("35.4")
def test_what_is_not_offered_is_a_404_in_json(anyone):
    browser = {"Accept": "text/html"}
    for path in ("", "/mcp/oauth"):
        response = anyone.get(f"/.well-known/openid-configuration{path}", headers=browser)
        text = {"error": "Not found: the API has no such path"}
        assert (response.status_code, response.json()) == (404, text)
    assert anyone.post("/oauth/introspect", {}).status_code == 404


def cors_of(response):
    return {k: v for k, v in response.headers.items() if k.startswith("Access-Control-")}


@pytest.mark.contract("35.5")
def test_scripts_of_any_site_may_use_all_but_the_authorization(anyone):
    asked = {"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"}
    for path in (OF_SERVER, OF_RESOURCE, "/oauth/register", "/oauth/token", "/oauth/revoke"):
        response = anyone.options(path, headers=asked)
        assert (response.status_code, response.content, cors_of(response)) == (204, b"", PREFLIGHT)
        assert cors_of(anyone.post(path, {})) == OPEN
    assert anyone.options("/mcp/oauth", headers=asked).status_code == 204
    assert cors_of(anyone.post("/mcp/oauth", {})) == OPEN

    for path in ("/operator/connect", "/operator", "/mcp", "/api/v1/agents/me"):
        response = anyone.options(path, headers=asked)
        assert response.status_code != 204
        assert cors_of(response) == {}


@pytest.mark.contract("35.1")
def test_off_by_default():
    assert read(SETTINGS)["OAUTH"] is False
    assert read(SETTINGS, OAUTH="true")["OAUTH"] is True
