"""Registration of clients (contract 35.11 to 35.14)"""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from connections.models import AuthorizationCode, Connection, OAuthClient
from tests.factories import CALLBACK, OAuthClientFactory

URL = "/oauth/register"
# As Claude.ai sends it.
CLAUDE = {
    "client_name": "Claude",
    "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "client_secret_post",
    "scope": "read submit",
    "logo_uri": "javascript:alert(1)",
}
KIND = (
    "Each of redirect_uris must be an https address, or http to 127.0.0.1, [::1] or localhost, "
    "without a fragment, a user, a wildcard or a blank"
)
PLAIN_HTTP = "http is for 127.0.0.1, [::1] and localhost: use https for all other hosts"
NUMBER = "redirect_uris must be a list of 1 to 10 addresses"


def assert_refused(response, error, text, status=400):
    assert (response.status_code, response.json()) == (
        status,
        {"error": error, "error_description": text},
    )
    assert response["Cache-Control"] == "no-store"


@pytest.mark.contract("35.11")
def test_a_client_registers_itself(anyone):
    before = int(timezone.now().timestamp())

    response = anyone.post(URL, CLAUDE)

    row, sent = OAuthClient.objects.get(), response.json()
    assert (response.status_code, sent) == (
        201,
        {
            "client_id": row.public_id,
            "client_id_issued_at": sent["client_id_issued_at"],
            "client_name": "Claude",
            "redirect_uris": [CALLBACK],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": "read install review",
        },
    )
    assert before <= sent["client_id_issued_at"] <= before + 5
    assert response["Cache-Control"] == "no-store"
    assert response["RateLimit-Policy"] == '"oauth-register";q=300;w=3600'


@pytest.mark.contract("35.11")
def test_a_client_without_a_name(anyone):
    client = {"redirect_uris": ["http://localhost:3118/callback"]}
    for name in ({}, {"client_name": None}, {"client_name": " \u3000 "}):
        response = anyone.post(URL, client | name)

        assert (response.status_code, response.json()["client_name"]) == (201, "")
        assert str(OAuthClient.objects.latest("pk")) == "localhost:3118"


@pytest.mark.contract("35.11")
def test_what_a_client_may_not_say_of_itself(anyone):
    hidden = "client_name must not contain control or hidden characters or tokens"
    for name, text in (
        ("a" * 81, "client_name must be a string of at most 80 characters"),
        (7, "client_name must be a string of at most 80 characters"),
        ("Claude\u202e", hidden),
        ("Claude\n", hidden),
        ("mkt_agent_" + "a" * 38, hidden),
    ):
        response = anyone.post(URL, CLAUDE | {"client_name": name})
        assert_refused(response, "invalid_client_metadata", text)
    for field, value in (("grant_types", "authorization_code"), ("response_types", "code")):
        for other in (["token"], "code", None):
            response = anyone.post(URL, CLAUDE | {field: other})
            text = f"{field} must be a list with {value}, or absent"
            assert_refused(response, "invalid_client_metadata", text)
    response = anyone.post(URL, "[]", content_type="application/json")
    assert_refused(response, "invalid_request", "Request body must be a JSON object")
    response = anyone.post(URL, '{"a": 1, "a": 2}', content_type="application/json")
    assert_refused(response, "invalid_request", "Request body has the key 'a' more than once")
    assert OAuthClient.objects.count() == 0


ALLOWED = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://a.example:8443/cb?x=1&y=%20",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:3000/cb",
    "http://[::1]:1/",
    "https://[2001::1]/",
    "http://localhost",
    "http://localhost:65535/callback",
    "https://xn--bcher-kva.example/",
]
REFUSED = [
    *("https://a.example/#", "https://a.example/#x", "https://a.example/*", "https://*.example/"),
    *("https://u@a.example/", "https://u:p@a.example/", "https://a.example\\@b/", "https://"),
    *("https://a.example/a b", "https://a.example/\t", "https://a.example/\n", "https:a.example"),
    *("claude://x", "/callback", "", "javascript:alert(1)", "https://bücher.example/"),
    *("https://a.example:99999/", "HTTPS://a.example/", "https://a.example/" + "a" * 2000),
    *("http://localhost:80:80/", "https://a.example%2f"),
]


@pytest.mark.contract("35.12")
def test_the_addresses_that_a_client_may_register(anyone):
    for uri in ALLOWED:
        response = anyone.post(URL, CLAUDE | {"redirect_uris": [uri]})
        assert (response.status_code, response.json()["redirect_uris"]) == (201, [uri])
    plain = [f"http://{host}/cb" for host in ("claude.ai", "localhost.evil", "127.0.0.2")]
    for uris, text in ((plain, PLAIN_HTTP), (REFUSED, KIND)):
        for uri in uris:
            response = anyone.post(URL, CLAUDE | {"redirect_uris": [CALLBACK, uri]})
            assert_refused(response, "invalid_redirect_uri", text)
    for uris in ([], None, CALLBACK, [7], [f"{CALLBACK}/{n}" for n in range(11)]):
        response = anyone.post(URL, CLAUDE | {"redirect_uris": uris})
        assert_refused(response, "invalid_redirect_uri", NUMBER)


@pytest.mark.contract("35.12")
def test_addresses_are_compared_as_texts_but_for_a_loopback_port():
    client = OAuthClientFactory.build(
        redirect_uris=[CALLBACK, "http://localhost:3118/callback", "http://127.0.0.1/cb?a=b"]
    )

    for uri in (
        *(CALLBACK, "http://localhost:3118/callback", "http://localhost:1/callback"),
        *("http://localhost/callback", "http://127.0.0.1:65535/cb?a=b"),
    ):
        assert client.allows(uri), uri
    for uri in (
        *(
            f"{CALLBACK}/",
            f"{CALLBACK}?a=b",
            f"{CALLBACK}#",
            "https://claude.ai:443/api/mcp/auth_callback",
        ),
        *(
            "http://127.0.0.1:3118/callback",
            "http://localhost:3118/callback/",
            "http://localhost:x/callback",
        ),
        *("https://localhost:3118/callback", "http://localhost:3118@evil.example/callback", ""),
        *(
            "http://localhost:99999/callback",
            "http://localhost:3118/callback#",
            "http://localhost/\n",
        ),
    ):
        assert not client.allows(uri), uri


@pytest.mark.contract("35.13")
def test_an_address_has_a_limit(anyone, rates):
    rates(**{"oauth-register": "1/h"})
    assert anyone.post(URL, CLAUDE).status_code == 201

    response = anyone.post(URL, CLAUDE)

    seconds = response["Retry-After"]
    text = f"Rate limit exceeded. Try again in {seconds} seconds."
    assert_refused(response, "too_many_requests", text, 429)


@pytest.mark.contract("35.14")
def test_there_is_room_for_so_many_clients(anyone, monkeypatch, connection):
    monkeypatch.setattr(OAuthClient, "MAX_NUMBER", 2)
    assert anyone.post(URL, CLAUDE).status_code == 201

    response = anyone.post(URL, CLAUDE)

    text = "Too many clients are registered. Try again in an hour."
    assert_refused(response, "temporarily_unavailable", text, 503)
    assert response["Retry-After"] == "3600"
    # An outdated one makes room.
    OAuthClient.objects.update(created_at=F("created_at") - timedelta(days=2))
    assert anyone.post(URL, CLAUDE).status_code == 201
    assert OAuthClient.objects.count() == 2
    assert OAuthClient.objects.filter(pk=connection.client_id).exists()


@pytest.mark.contract("35.14")
def test_unused_clients_go_after_a_day_and_others_30_days_after_their_connection(
    connection, connector, code_of
):
    day = timedelta(days=1)
    new, unused = OAuthClientFactory(), OAuthClientFactory()
    OAuthClient.objects.filter(pk=unused.pk).update(created_at=timezone.now() - day)
    code_of()
    AuthorizationCode.objects.update(expires_at=F("expires_at") - 2 * day)

    call_command("prune_clients")
    assert {*OAuthClient.objects.all()} == {new, connector.row}
    assert not AuthorizationCode.objects.exists()

    connection.end("Lost")
    OAuthClient.objects.update(last_used_at=F("last_used_at") - 31 * day)
    call_command("prune_clients")
    assert connector.row in OAuthClient.objects.all()  # for 30 days after its end

    connection.tokens.update(revoked_at=F("revoked_at") - 31 * day)
    call_command("prune_clients")
    assert list(OAuthClient.objects.all()) == [new]
    assert not Connection.objects.exists()
