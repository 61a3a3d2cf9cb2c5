"""The operator key on the claim page, and the claim of an agent that is claimed (contract 19.11)"""

import pytest
from django.test import Client

from agents import tokens
from agents.models import ClaimCode, OperatorClaim, OperatorKey
from marketplace.api.fields import timestamp
from tests.browser import untouched_form
from tests.factories import AgentFactory, ask_for_code, claim
from tests.operators.claiming import CONFIRM, GRACE, code_and_keys

WRONG = "BBBB-BBBB"


def operator_of(client):
    return client.get("/api/v1/agents/me").json()["claim"]["operator"]


# The key


@pytest.mark.contract("19.1")
def test_the_code_comes_with_a_key_that_stays_in_the_browser(operator, client, url):
    code, [key] = code_and_keys(operator.submit(url, **GRACE))

    assert key.startswith("mkt_operator_")
    assert tokens.checksum(key[:-6]) == key[-6:]
    assert key in operator.get(url).content.decode()
    assert key not in Client().get(url).content.decode()
    assert client.post(CONFIRM, {"code": code}).status_code == 200
    # Whoever has not kept it yet can keep it now.
    assert key in operator.get(url).content.decode()
    assert key not in Client().get(url).content.decode()
    assert operator.log_in(key).status_code == 302


@pytest.mark.contract("19.1")
def test_only_its_digest_and_a_hint_are_kept(operator, url):
    _, [key] = code_and_keys(operator.submit(url, **GRACE))

    [kept] = OperatorKey.objects.values()
    assert kept["digest"] == tokens.digest(key)
    assert kept["hint"] == f"mkt_operator_{key[13:17]}…{key[-4:]}"
    assert key[17:-4] not in str(kept)


@pytest.mark.contract("19.1")
@pytest.mark.parametrize("place", range(3))
def test_a_code_opens_the_key_that_was_shown_with_it_and_forgets_the_others(
    operator, client, url, place
):
    shown_pages = [code_and_keys(operator.submit(url, **GRACE)) for _ in range(4)][1:]
    assert OperatorKey.objects.count() == 3

    client.post(CONFIRM, {"code": shown_pages[place][0]})

    statuses = [operator.log_in(key).status_code for _, [key] in shown_pages]
    assert statuses == [302 if number == place else 400 for number in range(3)]
    assert OperatorKey.objects.count() == 1


@pytest.mark.contract("19.1")
def test_an_agent_is_added_to_the_key_that_somebody_has(operator, console, client_of, key):
    second = AgentFactory(handle="second")

    code, keys = code_and_keys(operator.submit(f"/claim/{second.claim.secret}", **GRACE, key=key))

    assert keys == []
    assert console.get("/operator/agents/second").status_code == 404
    assert client_of(second).post(CONFIRM, {"code": code}).status_code == 200
    text = console.get("/operator").content.decode()
    assert "caller" in text
    assert "second" in text


@pytest.mark.parametrize("wrong", ["pending", "unknown", "mkt_operator_", "\0", "x" * 5000])
def test_a_key_that_opens_nothing_cannot_be_added_to(operator, client, url, wrong):
    if wrong == "pending":
        wrong = tokens.mint_key()
        ask_for_code(AgentFactory(), key=wrong)

    page = operator.submit(url, **GRACE, key=wrong)

    assert page.status_code == 400
    assert 'class="error"' in page.content.decode()
    assert wrong not in page.content.decode()
    assert client.get("/api/v1/agents/me").json()["claim"]["status"] == "unclaimed"


def test_a_key_that_was_reported_before_it_was_confirmed_is_void(operator, client, anyone, url):
    code, [key] = code_and_keys(operator.submit(url, **GRACE))
    anyone.post("/api/v1/tokens/revoke", {"token": key})

    response = client.post(CONFIRM, {"code": code})

    assert (response.status_code, response.json()) == (410, {"error": "Claim code has expired"})
    assert operator.log_in(key).status_code == 400


@pytest.mark.contract("19.1")
def test_a_key_is_no_token(client_of, key):
    response = client_of(token=key).get("/api/v1/agents/me")

    assert response.status_code == 401
    assert response.json() == {"error": "Authentication required"}


# Claiming anew


@pytest.mark.contract("19.11")
def test_the_page_of_a_claimed_agent_says_so_and_shows_the_form_again(operator, key, url):
    page = operator.get(url)

    text = page.content.decode()
    assert page.status_code == 200
    assert "Ada Lovelace claimed this agent on" in text
    assert "ada@example.com" not in text
    for form, fields in {"new-key": {"name", "email"}, "own-key": {"key"}}.items():
        assert {*untouched_form(page, form)} == {"csrfmiddlewaretoken", "seen", *fields}


def test_a_form_from_before_the_confirmation_gets_no_other_code(operator, client, url, agent):
    form = untouched_form(operator.get(url)) | GRACE
    code, [key] = code_and_keys(operator.submit(url, **GRACE))
    client.post(CONFIRM, {"code": code})
    operator.cookies.pop("shown-once")

    page = operator.post(url, form)

    assert page.status_code == 200
    assert "Grace Hopper claimed this agent on" in page.content.decode()
    assert 'id="code"' not in page.content.decode()
    assert not ClaimCode.objects.exists()
    assert operator.log_in(key).status_code == 302
    # The form of that page asks anew.
    _, [other] = code_and_keys(operator.submit(url, **GRACE))
    assert other != key


@pytest.mark.contract("19.11")
def test_asking_changes_nothing_while_the_agent_does_not_confirm(operator, console, client, url):
    before = OperatorClaim.objects.values().get()
    profile = client.get("/api/v1/agents/me").json()

    _, [key] = code_and_keys(operator.submit(url, **GRACE))

    assert operator.log_in(key).status_code == 400
    assert client.get("/api/v1/agents/me").json() == profile
    assert OperatorClaim.objects.values().get() == before
    assert console.get("/operator/agents/caller").status_code == 200
    assert "Ada Lovelace claimed this agent on" in operator.get(url).content.decode()


@pytest.mark.contract("19.11")
def test_confirming_makes_the_new_key_and_ends_the_old(operator, console, client, url, agent, key):
    code, [new] = code_and_keys(operator.submit(url, **GRACE))

    response = client.post(CONFIRM, {"code": code})

    claimed_at = timestamp(OperatorClaim.objects.get().claimed_at)
    assert response.status_code == 200
    assert response.json() == {
        "message": "Claim confirmed",
        "agentId": agent.public_id,
        "handle": "caller",
        "claim": {
            "status": "claimed",
            "operator": {"name": "Grace Hopper"},
            "claimedAt": claimed_at,
        },
    }
    page = console.get("/operator/agents/caller")
    assert page.headers["Location"] == "/operator?agent=caller"
    assert operator.log_in(key).status_code == 400
    assert operator.log_in(new).status_code == 302
    assert OperatorClaim.objects.get().operator_email == "grace@example.com"
    assert not ClaimCode.objects.exists()


@pytest.mark.contract("7.7")
def test_after_a_lost_answer_the_code_is_right_again(operator, client, url, key):
    code, _ = code_and_keys(operator.submit(url, **GRACE))
    first = client.post(CONFIRM, {"code": code})

    assert client.post(CONFIRM, {"code": code}).json() == first.json()
    assert client.post(CONFIRM, {"code": WRONG}).status_code == 409


def test_the_code_that_claimed_it_stays_right_while_another_is_asked_for(operator, client, agent):
    code = ask_for_code(agent)
    client.post(CONFIRM, {"code": code})
    operator.submit(f"/claim/{agent.claim.secret}", **GRACE)

    assert client.post(CONFIRM, {"code": code}).status_code == 200
    assert operator_of(client) == {"name": "Ada Lovelace"}


def test_the_code_that_claimed_it_stays_right_under_a_new_url(operator, client, agent, console):
    url = f"/claim/{agent.claim.secret}"
    code, [key] = code_and_keys(operator.submit(url, **GRACE))
    first = client.post(CONFIRM, {"code": code})
    assert operator.log_in(key).status_code == 302

    operator.submit("/operator/agents/caller/new-claim-url")

    again = client.post(CONFIRM, {"code": code})
    assert (again.status_code, again.json()) == (200, first.json())


@pytest.mark.contract("7.10")
def test_five_wrong_codes_burn_the_new_one_and_leave_the_claim(operator, console, client, url):
    code, _ = code_and_keys(operator.submit(url, **GRACE))

    answers = [client.post(CONFIRM, {"code": given}) for given in [WRONG] * 5 + [code]]

    assert [answer.status_code for answer in answers] == [400] * 5 + [410]
    assert console.get("/operator/agents/caller").status_code == 200
    code, _ = code_and_keys(operator.submit(url, **GRACE))
    assert client.post(CONFIRM, {"code": code}).status_code == 200


def test_the_same_operator_may_claim_anew_with_the_same_key(operator, console, client, url, key):
    code, keys = code_and_keys(operator.submit(url, **GRACE, key=key))
    client.post(CONFIRM, {"code": code})

    assert keys == []
    assert operator_of(client) == {"name": "Grace Hopper"}
    assert console.get("/operator/agents/caller").status_code == 200


def test_a_released_agent_forgets_who_has_asked_for_it(operator, client, url, agent, key):
    code, _ = code_and_keys(operator.submit(url, **GRACE))
    agent.claim.release()

    assert client.post(CONFIRM, {"code": code}).status_code == 400
    assert operator_of(client) is None


def test_two_agents_of_one_key_stay_apart(operator, client, agent, key):
    second = AgentFactory(handle="second")
    claim(second, key=key)
    code = ask_for_code(agent)
    client.post(CONFIRM, {"code": code})

    assert operator.log_in(key).status_code == 302
    assert operator.get("/operator/agents/second").status_code == 200
    assert operator.get("/operator/agents/caller").status_code == 404
