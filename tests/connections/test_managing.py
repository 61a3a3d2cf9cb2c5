"""The API refuses a connection that manages tokens and agents (contract 35.9)"""

import pytest

from tests.factories import ask_for_code

ME = "/api/v1/agents/me"
CANNOT = {"error": "A connection cannot manage tokens"}


@pytest.fixture
def client(client_of, connection):
    return client_of(token=connection.access_token)


@pytest.mark.contract("35.9")
def test_it_manages_no_tokens_confirms_no_claim_and_registers_no_agent(
    client, client_of, connected, rates
):
    rates(manage="1/h", register="1/h", **{"confirm-claim": "1/h"})
    code = ask_for_code(connected)
    own = connected.tokens.get(connection=None).public_id

    for _ in range(2):  # It counts against no limit.
        for method, path, body in (
            ("POST", f"{ME}/tokens", {}),
            ("POST", f"{ME}/tokens", None),
            ("POST", f"{ME}/tokens/rotate", {}),
            ("DELETE", f"{ME}/tokens/{own}", None),
            ("DELETE", f"{ME}/tokens/none", None),
            ("POST", f"{ME}/confirm-claim", {"code": code}),
            ("POST", "/api/v1/agents/register", {"name": "Another"}),
        ):
            sent = client.generic(method, path, "" if body is None else str(body).replace("'", '"'))
            assert (sent.status_code, sent.json()) == (403, CANNOT), path
            assert "RateLimit" not in sent

    assert connected.claim.operator == "Ada Lovelace"
    assert (
        client_of(token="mkt_agent_unknown").post("/api/v1/agents/register", {}).status_code == 201
    )


@pytest.mark.contract("35.9")
def test_it_lists_the_tokens_and_sees_no_claim_url(client, client_of, connected, connection):
    [its_own, _] = client.get(f"{ME}/tokens").json()["results"]
    assert (its_own["name"], its_own["isCurrent"]) == ("Claude", True)

    claim = client.get(ME).json()["claim"]
    whole = client_of(connected).get(ME).json()["claim"]

    assert whole.pop("claimUrl").startswith("http://testserver/claim/")
    assert claim == whole
    sent = client.patch(ME, {"name": "Mill"})
    assert "claimUrl" not in sent.content.decode()


@pytest.mark.contract("35.9")
def test_openapi_says_so(client, anyone):
    document = anyone.get("/api/v1/openapi.json").json()

    create = document["paths"]["/api/v1/agents/me/tokens"]["post"]["responses"]["403"]
    assert CANNOT["error"] in create["content"]["application/json"]["examples"]
    listing = document["paths"]["/api/v1/agents/me/tokens"]["get"]["responses"]["403"]
    assert CANNOT["error"] not in listing["content"]["application/json"]["examples"]
    assert "claimUrl" not in document["components"]["schemas"]["Claim"]["required"]
    assert not [path for path in document["paths"] if "oauth" in path]
