"""Requests for authorization that are not shown to the person (contract 35.20, 35.21)"""

import pytest

from connections.models import AuthorizationCode, OAuthClient
from tests.connections.pages.consenting import (
    CALLBACK,
    CHALLENGE,
    ISSUER,
    LOOPBACK,
    ConnectBrowser,
    parameters_of,
    text_of,
)
from tests.factories import claim

UNKNOWN = "This marketplace does not know the app that sent you here"
WRONG = "The app wants the answer at an address that it did not register."
# A client may not send these with its own client_id and callback; and the sentence on the page.
PAGES = [
    (UNKNOWN, {"client_id": None}),
    (UNKNOWN, {"client_id": ""}),
    (UNKNOWN, {"client_id": "client_unknown"}),
    (UNKNOWN, {"client_id": "client\0"}),
    (UNKNOWN, {"client_id": "é"}),
    (UNKNOWN, {"client_id": "https://client.example/metadata.json"}),
    (WRONG, {"redirect_uri": None}),
    (WRONG, {"redirect_uri": ""}),
    (WRONG, {"redirect_uri": f"{CALLBACK}/"}),
    (WRONG, {"redirect_uri": f"{CALLBACK}?a=b"}),
    (WRONG, {"redirect_uri": f"{CALLBACK}#a"}),
    (WRONG, {"redirect_uri": CALLBACK.replace("claude", "CLAUDE")}),
    (WRONG, {"redirect_uri": CALLBACK.replace("claude.example", "claude.example@evil.example")}),
    (WRONG, {"redirect_uri": CALLBACK.replace("https", "http")}),
    (WRONG, {"redirect_uri": "https://evil.example/"}),
    (WRONG, {"redirect_uri": "javascript:alert(1)"}),
    (WRONG, {"redirect_uri": [CALLBACK, CALLBACK]}),
    (WRONG, {"redirect_uri": [CALLBACK, "https://evil.example/"]}),
    (WRONG, {"redirect_uri": "http://localhost:1/callback"}),
    (WRONG, {"redirect_uri": "http://127.0.0.1:99999/callback"}),
]
# The error that the client gets, its description, and what it sent.
REQUIRED = "code_challenge and code_challenge_method are required, once"
S256 = "code_challenge_method must be S256"
LENGTH = "code_challenge must be 43 characters of base64url"
RESOURCE = "resource must be the address of this server, or absent"
ERRORS = [
    ("invalid_request", "Missing 'response_type' in request.", {"response_type": None}),
    ("invalid_request", "Missing 'response_type' in request.", {"response_type": ""}),
    *(
        ("unsupported_response_type", "response_type must be code", {"response_type": kind})
        for kind in ("token", '"code', "code id_token", "é")
    ),
    *(
        ("invalid_request", REQUIRED, changes)
        for changes in (
            {"code_challenge": None},
            {"code_challenge_method": None},
            {"code_challenge": [CHALLENGE, CHALLENGE]},
        )
    ),
    *(
        ("invalid_request", LENGTH, {"code_challenge": challenge})
        for challenge in ("", "short", f"{CHALLENGE}=", f"{CHALLENGE}A", f"{CHALLENGE}\n")
    ),
    *(
        ("invalid_request", S256, {"code_challenge_method": method})
        for method in ("", "plain", "s256")
    ),
    ("invalid_request", "scope must be sent once", {"scope": ["read", "install"]}),
    ("invalid_request", "response_type must be sent once", {"response_type": ["code", "code"]}),
    *(
        ("invalid_target", RESOURCE, {"resource": resource})
        for resource in (
            *("https://other.example/mcp/oauth", "http://testserver/mcp", "é"),
            "http://testserver/mcp/oauth?tools=core",
            ["http://testserver/mcp/oauth", "https://other.example/mcp/oauth"],
        )
    ),
]


@pytest.mark.contract("35.20")
def test_without_client_and_callback_there_is_a_page_and_no_redirect(
    person, visitor, address_of, subtests
):
    for browser in (person, visitor):
        for sentence, changes in PAGES:
            with subtests.test(str(changes)):
                page = browser.get(address_of(**changes))
                assert (page.status_code, sentence in text_of(page)) == (400, True)
                assert page["Content-Type"] == "text/html; charset=utf-8"
                assert "Location" not in page.headers
                assert "evil" not in page.content.decode()


@pytest.mark.contract("35.20")
def test_a_program_learns_in_json_that_it_has_to_register_again(visitor, address_of, claude):
    program = {"Accept": "application/json"}
    response = visitor.get(address_of(client_id="client_unknown"), headers=program)
    assert (response.status_code, response["Content-Type"]) == (401, "application/json")
    assert response["Cache-Control"] == "no-store"
    assert response.json().keys() == {"error", "error_description"}
    assert response.json()["error"] == "invalid_client"
    assert UNKNOWN in response.json()["error_description"]

    claude.block()  # It must not.
    page = visitor.get(address_of(), headers=program)
    assert (page.status_code, UNKNOWN in text_of(page)) == (400, True)


@pytest.mark.contract("35.12", "35.20")
def test_an_address_is_not_longer_because_of_its_port(person, address_of):
    longest = "http://localhost/".ljust(2000, "a")
    client = OAuthClient.objects.register(name="Tool", redirect_uris=[longest])
    request = {"client_id": client.public_id, "redirect_uri": longest}
    assert person.answer(address_of(**request))["Location"].startswith(longest)

    request["redirect_uri"] = longest.replace("/aaa", ":3118/aaa")
    page = person.open(address_of(**request))

    assert (page.status_code, WRONG in text_of(page)) == (400, True)


@pytest.mark.contract("35.20")
def test_a_blocked_client_is_refused_there(person, address_of, claude):
    claude.block()

    page = person.get(address_of())

    assert (page.status_code, UNKNOWN in text_of(page)) == (400, True)


@pytest.mark.contract("35.21")
def test_other_errors_are_told_to_the_client(person, address_of, subtests):
    for error, description, changes in ERRORS:
        with subtests.test(str(changes)):
            response = person.get(address_of(**changes))
            assert parameters_of(response) == (
                CALLBACK,
                {
                    "error": error,
                    "error_description": description,
                    "state": "s t&a=te",
                    "iss": ISSUER,
                },
            )


@pytest.mark.contract("35.21")
def test_a_state_is_sent_back_unless_there_are_two(person, address_of):
    for state in ("é", "\0", "a&b"):
        _, parameters = parameters_of(person.answer(address_of(state=state), "deny"))
        assert parameters["state"] == state

    _, parameters = parameters_of(person.get(address_of(state=["a", "b"])))
    assert parameters == {
        "error": "invalid_request",
        "error_description": "state must be sent once",
        "iss": ISSUER,
    }


@pytest.mark.contract("35.20", "35.21")
def test_the_answer_of_a_form_is_checked_again(person, address_of, claude):
    page = person.open(address_of())

    response = person.post(
        address_of(code_challenge=None),
        {"csrfmiddlewaretoken": page.context["csrf_token"], "answer": "allow"},
        headers={"Origin": ISSUER},
    )

    assert parameters_of(response)[1]["error"] == "invalid_request"
    claude.block()
    for answer in ("allow", "deny"):
        assert person.send(page, answer).status_code == 400
    assert not AuthorizationCode.objects.exists()


@pytest.mark.contract("35.21")
def test_resources_of_this_server_are_accepted(agent, address_of, settings, rates, subtests):
    rates(operator="20/h")
    key = claim(agent)
    for catalogue, base, resource in (
        ("public", "", "http://testserver/mcp/oauth"),
        ("public", "", "http://testserver"),
        ("public", "", "http://testserver/mcp/oauth/"),
        ("public", "", ""),
        ("public", "", ["http://testserver/mcp/oauth", "http://testserver"]),
        ("public", "https://market.example", "https://market.example/mcp/oauth"),
        ("members", "", "http://testserver/mcp"),
    ):
        with subtests.test(f"{catalogue}: {resource}"):
            settings.CATALOGUE, settings.PUBLIC_URL = catalogue, base
            page = ConnectBrowser(key).open(address_of(resource=resource))
            assert "It calls itself" in text_of(page)


@pytest.mark.contract("35.21")
def test_the_issuer_is_the_public_url(person, address_of, settings):
    settings.PUBLIC_URL = "https://market.example"

    _, parameters = parameters_of(person.get(address_of(response_type="token")))

    assert parameters["iss"] == "https://market.example"


@pytest.mark.contract("35.20")
def test_a_stranger_is_not_led_to_the_callback(visitor, address_of):
    """Anybody can register a client, and so make links that lead where they like."""
    page = visitor.open(address_of(response_type="token"))

    assert page.status_code == 200
    assert "Sign in to connect claude.example" in text_of(page)


@pytest.mark.contract("35.20")
def test_it_takes_no_other_method_and_no_cross_origin_request(person, address_of):
    for method in ("put", "delete", "options", "patch"):
        response = getattr(person, method)(address_of())
        assert response.status_code == 405
        assert response["Allow"] == "GET, HEAD, POST"
    page = person.get(address_of(redirect_uri=LOOPBACK), headers={"Origin": "https://a.example"})
    assert not [name for name in page.headers if name.startswith("Access-Control")]
    forged = person.post(address_of(), {"answer": "allow"}, headers={"Origin": "https://a.example"})
    assert forged.status_code == 403
