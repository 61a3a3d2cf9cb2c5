"""The requests that POST /oauth/token refuses, and for whom its tokens are"""

import pytest

from tests.connections.conftest import FORM, Connector
from tests.connections.test_tokens import assert_sent
from tests.factories import CALLBACK, OAuthClientFactory


def error(name, text):
    return {"error": name, "error_description": text}


@pytest.mark.contract("35.17")
def test_wrong_requests_say_what_to_send(connector, code_of, connection):
    code = code_of()
    cases = [
        ({}, error("invalid_request", "Missing 'grant_type' in request.")),
        (
            {"grant_type": "password"},
            error(
                "unsupported_grant_type", "grant_type must be authorization_code or refresh_token"
            ),
        ),
        (
            {"grant_type": "authorization_code"},
            error("invalid_request", "Missing 'code' in request."),
        ),
        (
            {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK},
            error("invalid_request", "Missing 'code_verifier' in request."),
        ),
        (
            {"grant_type": "refresh_token"},
            error("invalid_request", "Missing 'refresh_token' in request."),
        ),
        (
            {"grant_type": ["refresh_token", "refresh_token"]},
            error("invalid_request", "Request body has the field 'grant_type' more than once"),
        ),
        (
            {'"é\\': ["1", "2"]},
            error("invalid_request", "Request body has the field '''''' more than once"),
        ),
        (
            {"grant_type": "a\0b"},
            error("invalid_request", "Request body must not contain NUL characters"),
        ),
    ]
    for fields, body in cases:
        assert_sent(connector.token(**fields), 400, body)
    assert connector.exchange(code).status_code == 200


@pytest.mark.contract("35.17")
def test_a_body_that_is_no_form(connector):
    sent = connector.post("/oauth/token", "{}", content_type="application/json")
    text = f"Content-Type must be {FORM}"
    assert_sent(sent, 415, {"error": "invalid_request", "error_description": text})

    sent = connector.post("/oauth/token", b"grant_type=%ff", content_type=FORM)
    text = "Request body must be a form in UTF-8 of at most 100 fields"
    assert_sent(sent, 400, {"error": "invalid_request", "error_description": text})

    sent = connector.post("/oauth/token", "a=" + "a" * 65536, content_type=FORM)
    text = "Request body is too large"
    assert_sent(sent, 413, {"error": "invalid_request", "error_description": text})

    sent = connector.get("/oauth/token")
    text = "Method GET is not allowed here; use POST"
    assert_sent(sent, 405, {"error": "invalid_request", "error_description": text})
    assert sent["Allow"] == "POST"


@pytest.mark.contract("35.17")
def test_a_client_that_is_unknown_or_blocked(connector, connection):
    text = "The client is not registered here"
    for client_id in ("client_unknown", "", None):
        sent = connector.refresh(connection.refresh_token, client_id=client_id)
        assert_sent(sent, 401, {"error": "invalid_client", "error_description": text})
        assert "WWW-Authenticate" not in sent  # for which a browser would ask for a password
    basic = {"Authorization": "basic eDp5"}
    sent = connector.post("/oauth/revoke", "token=x", content_type=FORM, headers=basic)
    assert_sent(sent, 401, {"error": "invalid_client", "error_description": text})
    assert sent["WWW-Authenticate"].startswith("Basic ")

    connector.row.block()
    sent = connector.refresh(connection.refresh_token)
    text = "Staff have blocked this client"
    assert_sent(sent, 400, {"error": "invalid_grant", "error_description": text})


@pytest.mark.contract("35.3")
def test_the_resource_is_this_server(connector, connection, settings):
    text = "resource must be the address of this server, or absent"
    other = {"error": "invalid_target", "error_description": text}
    here = "http://testserver"
    refresh = connection.refresh_token
    for catalogue, resource, is_here in [
        *(("public", url, True) for url in (here, f"{here}/", f"{here}/mcp/oauth")),
        ("public", [here, f"{here}/mcp/oauth/"], True),
        ("public", "HTTP://TestServer/mcp/oauth", True),
        ("public", f"{here}/MCP/oauth", False),
        ("public", f"https://evil.example/?{here}", False),
        *(("public", url, False) for url in ("https://evil.example", f"{here}/mcp", f"{here}/api")),
        ("public", [here, "https://evil.example"], False),
        ("members", f"{here}/mcp", True),
    ]:
        settings.CATALOGUE = catalogue
        response = connector.refresh(refresh, resource=resource)
        if is_here:
            assert response.status_code == 200
            refresh = response.json()["refresh_token"]
        else:
            assert_sent(response, 400, other)


@pytest.mark.contract("35.13")
def test_a_client_has_a_limit_at_each_address(connector, connection, rates):
    rates(**{"oauth-token": "1/h"})
    refresh = connector.refresh(connection.refresh_token).json()["refresh_token"]

    response = connector.refresh(refresh)

    seconds = response["Retry-After"]
    text = f"Rate limit exceeded. Try again in {seconds} seconds."
    assert_sent(response, 429, {"error": "too_many_requests", "error_description": text})
    assert response["RateLimit"] == f'"oauth-token";r=0;t={seconds}'
    assert Connector(OAuthClientFactory()).refresh("x").status_code == 400
    connector.defaults["REMOTE_ADDR"] = "203.0.113.7"  # Everybody may know the ID of a client.
    assert connector.refresh(refresh).status_code == 200
