"""The codes and keys that the claim page gives, and which of them the agent may confirm"""

import hashlib
import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import ClaimCode, OperatorClaim, OperatorKey
from tests.browser import untouched_form
from tests.factories import AgentFactory, claim, claim_by_code
from tests.operators.claiming import CONFIRM, KEY, code_and_keys, code_in, submit

ORIGIN = {"Origin": "http://testserver"}


@pytest.mark.contract("7.4")
@pytest.mark.parametrize("place", range(3))
def test_each_of_the_last_three_codes_confirms_who_asked_for_it(operator, client, url, place):
    codes = [code_in(submit(operator, url, name=f"Operator {number}")) for number in range(3)]

    response = client.post(CONFIRM, {"code": codes[place]})

    assert response.status_code == 200
    assert response.json()["claim"]["operator"] == {"name": f"Operator {place}"}
    assert client.post(CONFIRM, {"code": codes[place]}).json() == response.json()
    assert client.post(CONFIRM, {"code": codes[place - 1]}).status_code == 409


@pytest.mark.contract("7.4")
def test_a_fourth_code_replaces_the_first(operator, client, url):
    first, second, *_ = [code_in(submit(operator, url)) for _ in range(4)]

    response = client.post(CONFIRM, {"code": first})

    assert response.status_code == 400
    assert response.json() == {"error": "Invalid claim code"}
    assert client.post(CONFIRM, {"code": second}).status_code == 200


def test_a_code_that_has_expired_takes_no_place(operator, client, url):
    expired, *valid = [code_in(submit(operator, url)) for _ in range(3)]
    ClaimCode.objects.filter(pk=ClaimCode.objects.earliest("pk").pk).update(
        code_expires_at=timezone.now()
    )
    assert client.post(CONFIRM, {"code": expired}).status_code == 410

    submit(operator, url)

    assert client.post(CONFIRM, {"code": expired}).status_code == 400
    assert client.post(CONFIRM, {"code": valid[0]}).status_code == 200


@pytest.mark.contract("7.9")
def test_asking_again_renews_an_expired_code_and_forgives_wrong_ones(operator, client, url):
    submit(operator, url)
    ClaimCode.objects.update(code_expires_at=timezone.now(), wrong_codes=5)
    assert client.post(CONFIRM, {"code": "BBBB-BBBB"}).status_code == 410

    code = code_in(submit(operator, url))

    assert client.post(CONFIRM, {"code": code}).status_code == 200


@pytest.mark.contract("7.4")
def test_the_operator_whose_code_is_confirmed_is_the_one_that_staff_see(operator, client, url):
    code = code_in(submit(operator, url))
    submit(operator, url, name="Somebody Else", email="else@example.com")
    assert OperatorClaim.objects.get().operator_email == "else@example.com"

    assert client.post(CONFIRM, {"code": code}).json()["claim"]["operator"] == {
        "name": "Ada Lovelace"
    }
    assert OperatorClaim.objects.get().operator_email == "ada@example.com"


@pytest.mark.contract("7.3")
def test_the_code_is_not_stored_in_clear(operator, url, caplog):
    caplog.set_level(logging.DEBUG)

    code = code_in(submit(operator, url))

    letters = code.replace("-", "")
    kept = str([OperatorClaim.objects.values().get(), ClaimCode.objects.values().get()])
    assert letters not in kept.replace("-", "")
    # Eight letters are few enough to find a code by brute force from a plain digest.
    for spelling in (code, letters, letters.lower()):
        assert hashlib.sha256(spelling.encode()).hexdigest() not in kept
    assert code not in caplog.text + str(operator.cookies)


@pytest.mark.contract("7.3")
def test_it_lasts_fifteen_minutes(operator, url):
    submit(operator, url)

    left = ClaimCode.objects.get().code_expires_at - timezone.now()
    assert timedelta(minutes=14, seconds=50) < left <= timedelta(minutes=15)


@pytest.mark.contract("7.4")
@pytest.mark.parametrize("place", range(3))
def test_the_page_ends_with_the_key_of_the_code_that_was_confirmed(operator, client, url, place):
    pages = [submit(operator, url) for _ in range(3)]
    keys = [key for page in pages for key in code_and_keys(page)[1]]
    assert len({*keys}) == 3

    assert client.post(CONFIRM, {"code": code_in(pages[place])}).status_code == 200

    text = operator.get(url).content.decode()
    assert "<h1>Confirmed</h1>" in text
    assert {*KEY.findall(text)} == {keys[place]}
    led = operator.post("/operator?agent=caller", untouched_form(operator.get(url)), headers=ORIGIN)
    assert (led.status_code, led["Location"]) == (302, "/operator/agents/caller")


def test_another_code_after_a_confirmed_one_is_shown(operator, client, url):
    client.post(CONFIRM, {"code": code_in(submit(operator, url))})
    operator.cookies.pop("shown-once")

    page = submit(operator, url)

    assert "<h1>Confirmed</h1>" not in page.content.decode()
    assert client.post(CONFIRM, {"code": code_in(page)}).status_code == 200
    assert "<h1>Confirmed</h1>" in operator.get(url).content.decode()


def columns(agent):
    """Those of the agent's claim and of its key; the type of a value that no two rows share."""
    claim = OperatorClaim.objects.filter(agent=agent)
    key = OperatorKey.objects.filter(claims__in=claim)
    own = {"id", "agent_id", "secret", "code_digest", "claimed_at", "key_id"}
    own |= {"digest", "hint", "created_at", "confirmed_at"}
    return [
        {name: type(value) if name in own else value for name, value in rows.values().get().items()}
        for rows in (claim, key)
    ]


def test_the_factory_leaves_what_a_confirmed_code_leaves(db):
    by_factory, by_code = AgentFactory(), AgentFactory()
    claim(by_factory)
    claim_by_code(by_code)

    assert columns(by_factory) == columns(by_code)
    assert not ClaimCode.objects.exists()
