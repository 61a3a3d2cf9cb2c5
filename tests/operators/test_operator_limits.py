"""Limits that an operator sets, below those of the agent's tier (contract 19.14)"""

import re

import pytest

from agents.models import Agent
from tests.browser import untouched_form
from tests.operators.claiming import CONFIRM, GRACE, code_and_keys

ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"


def limit_of(client, policy):
    rows = client.get(f"{ME}/limits").json()["limits"]
    return next((row["limit"], row["remaining"]) for row in rows if row["policy"] == policy)


@pytest.mark.contract("19.6", "19.14")
def test_a_lower_limit_counts_from_now_on(console, client, paths):
    client.post(INSTALL, {"slug": "gone"})

    console.submit(paths["limits"], install="2")

    assert limit_of(client, "install") == (2, 1)
    response = client.post(INSTALL, {"slug": "gone"})
    assert response.headers["RateLimit-Policy"] == '"install";q=2;w=3600'
    assert response.headers["RateLimit"].startswith('"install";r=0;t=')
    response = client.post(INSTALL, {"slug": "gone"})
    assert response.status_code == 429
    assert response.json() == {
        "error": f"Rate limit exceeded. Try again in {response.headers['Retry-After']} seconds."
    }
    assert limit_of(client, "review") == (10, 10)
    text = console.get("/operator/agents/caller").content.decode()
    assert re.findall(r"(\w+)</th><td>\d+</td><td>(\d+), lowered", text) == [("Installs", "2")]


def test_without_it_what_was_used_counts_against_the_usual_one(console, client, paths):
    console.submit(paths["limits"], install="1")
    assert [client.post(INSTALL, {"slug": "x"}).status_code for _ in range(2)] == [404, 429]

    console.submit(paths["limits"], install="")

    assert limit_of(client, "install") == (20, 18)
    assert client.post(INSTALL, {"slug": "x"}).status_code == 404


@pytest.mark.contract("19.14")
@pytest.mark.parametrize("value", ["21", "0", "-1", "1.5", "many", "9" * 30])
def test_it_is_never_above_the_tiers(console, client, paths, value):
    page = console.submit(paths["limits"], install=value, review="3")

    assert page.status_code == 400
    assert 'class="error"' in page.content.decode()
    assert limit_of(client, "install") == (20, 20)
    assert limit_of(client, "review") == (10, 10)


def test_a_tier_that_is_lowered_below_it_counts(console, client, paths, rates):
    console.submit(paths["limits"], install="15")

    rates(install="5/h")

    assert limit_of(client, "install") == (5, 5)
    # The form offers what can be sent back as it is.
    assert console.submit(paths["limits"], review="3").status_code == 302
    assert limit_of(client, "review") == (3, 3)
    assert Agent.objects.get().limits == {"install": 5, "review": 3}


@pytest.mark.contract("19.14")
def test_it_stays_when_the_agent_is_claimed_anew(operator, console, client, paths, url):
    console.submit(paths["limits"], install="2")
    code, _ = code_and_keys(operator.submit(url, **GRACE))

    assert client.post(CONFIRM, {"code": code}).status_code == 200
    assert limit_of(client, "install") == (2, 2)


@pytest.mark.contract("19.26")
def test_the_page_names_each_limit_its_use_and_who_raises_it(
    console, client, agent, paths, settings
):
    client.post(INSTALL, {"slug": "gone"})
    console.submit(paths["limits"], install="2", review="1")
    agent.raised_limits.create(policy="install", requests=30)
    settings.STAFF_CONTACT = "https://chat.example"

    text = console.get(paths["limits"]).content.decode()

    row = r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>\d+ min</td><td>(.*?)</td></tr>'
    assert re.findall(row, text) == [
        ("Installs", "1 of 2", "you, to 30; beyond that staff"),
        ("Reviews", "0 of 1", "you, to 10; beyond that staff"),
        ("Claim codes", "0 of 10", "staff"),
        ("Changes", "0 of 120", "staff"),
        ("Reports", "0 of 10", "staff"),
        ("Clones", "0 of 240", "staff"),
        ("Submissions", "0 of 60", "staff"),
    ]
    assert '<a href="https://chat.example">ask the staff</a>' in text
    assert "Leave this empty to allow 30 requests per hour, or enter a lower number." in text


@pytest.mark.contract("19.14")
def test_codes_are_not_limited(console, client, paths):
    console.submit(paths["limits"], **{"confirm-claim": "1"})

    assert "confirm-claim" not in untouched_form(console.get(paths["limits"]))
    assert limit_of(client, "confirm-claim") == (10, 10)
