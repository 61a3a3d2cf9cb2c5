"""How many codes an address, and a claim page, can ask for"""

import pytest

from agents.models import ClaimCode
from tests.browser import untouched_form
from tests.factories import AgentFactory
from tests.operators.claiming import CONFIRM, GRACE, code_and_keys


@pytest.fixture
def ask(operator, url):
    """Ask for a code from an address, for `agent` unless the claim page is another's."""

    def ask(address="192.0.2.1", page=url, **fields):
        form = untouched_form(operator.get(page)) | GRACE | fields
        return operator.post(
            page, form, headers={"Origin": "http://testserver"}, REMOTE_ADDR=address
        )

    return ask


def assert_refused(page, policy, text):
    seconds = int(page.headers["Retry-After"])
    assert page.status_code == 429
    assert 1 <= seconds <= 3600
    assert page.headers["RateLimit"] == f'"{policy}";r=0;t={seconds}'
    assert page.headers["Content-Type"].startswith("text/html")
    assert "Too many attempts" in page.content.decode()
    assert text in page.content.decode()


@pytest.mark.contract("7.5")
def test_a_page_with_a_code_states_both_limits(ask):
    page = ask()

    assert page.headers["RateLimit-Policy"] == (
        '"claim-code-address";q=30;w=3600, "claim-code";q=60;w=3600'
    )
    assert page.headers["RateLimit"].startswith('"claim-code-address";r=29;t=')
    assert ', "claim-code";r=59;t=' in page.headers["RateLimit"]


@pytest.mark.contract("7.5")
def test_an_address_gets_so_many_codes_for_all_agents(ask, rates):
    rates(claim_code_address="3/h")
    pages = [f"/claim/{AgentFactory().claim.secret}" for _ in range(4)]
    for page in pages[:3]:
        assert ask(page=page).status_code == 302

    refused = ask(page=pages[3])

    assert_refused(
        refused, "claim-code-address", "You can request 3 codes from one IP address in 60 minutes."
    )
    assert ClaimCode.objects.count() == 3
    assert ask("192.0.2.2", pages[3]).status_code == 302


@pytest.mark.contract("11.9")
def test_claim_codes_count_an_ipv6_client_by_its_64(ask, rates):
    rates(claim_code_address="1/h")

    addresses = ["2001:db8::1", "2001:db8:0:0:ffff::2", "2001:db8:0:1::1"]

    assert [ask(address).status_code for address in addresses] == [302, 429, 302]


@pytest.mark.contract("7.5")
def test_a_claim_page_shows_so_many_codes_whoever_asks(ask, rates, client, operator, url):
    rates(claim_code="3/h")
    codes = []
    for number in range(3):
        ask(f"192.0.2.{number}")
        codes.append(code_and_keys(operator.get(url))[0])

    refused = ask("192.0.2.9")

    assert_refused(refused, "claim-code", "This page shows 3 codes in 60 minutes.")
    assert ask("192.0.2.9", f"/claim/{AgentFactory().claim.secret}").status_code == 302
    assert client.post(CONFIRM, {"code": codes[0]}).status_code == 200


def test_a_refused_address_takes_no_code_from_the_others(ask, rates):
    rates(claim_code_address="1/h", claim_code="2/h")
    assert [ask().status_code for _ in range(3)] == [302, 429, 429]

    assert ask("192.0.2.2").status_code == 302


def test_a_form_that_is_refused_does_not_count(ask, rates):
    rates(claim_code_address="1/h")
    for fields in ({"email": "ada@"}, {"key": "mkt_operator_unknown"}, {"seen": "2020-01-01"}):
        assert "RateLimit" not in ask(**fields).headers

    assert ask().status_code == 302
