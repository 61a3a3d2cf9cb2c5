"""GET /api/v1/agents/me/limits (contract 13.2)."""

import pytest

from tests.factories import AgentFactory, SkillFactory

URL = "/api/v1/agents/me/limits"
INSTALL, REVIEW = "/api/v1/agents/me/skills/install", "/api/v1/agents/me/reviews"


def used(client):
    rows = client.get(URL).json()["limits"]
    return {row["policy"]: row["limit"] - row["remaining"] for row in rows}


@pytest.mark.contract("13.2")
def test_a_new_agent_has_all_of_its_limits(client):
    response = client.get(URL)

    assert response.status_code == 200
    rows = response.json()["limits"]
    assert all(1 <= row.pop("resetSeconds") <= row["windowSeconds"] for row in rows)
    *hourly, submit = rows
    assert submit == {"policy": "submit", "limit": 60, "windowSeconds": 86400, "remaining": 60}
    assert hourly == [
        {"policy": policy, "limit": limit, "windowSeconds": 3600, "remaining": limit}
        for policy, limit in {
            "install": 20,
            "review": 10,
            "confirm-claim": 10,
            "manage": 120,
            "report": 10,
            "clone": 240,
        }.items()
    ]


@pytest.mark.contract("13.2")
def test_it_says_what_the_headers_of_the_counted_request_say(client):
    SkillFactory(slug="pdf")
    for slug in ("pdf", "pdf", "gone"):
        counted = client.post(INSTALL, {"slug": slug})

    install = client.get(URL).json()["limits"][0]

    assert counted["RateLimit-Policy"] == f'"install";q=20;w={install["windowSeconds"]}'
    remaining, reset = counted["RateLimit"].split(";")[1:]
    assert (remaining, install["remaining"]) == ("r=17", 17)
    assert 0 <= int(reset.removeprefix("t=")) - install["resetSeconds"] <= 2


@pytest.mark.contract("13.2")
def test_asking_spends_nothing(client):
    client.post(REVIEW, {"rating": 9})

    first = used(client)

    others = ["install", "confirm-claim", "manage", "report", "clone", "submit"]
    nothing = dict.fromkeys(others, 0)
    assert first == nothing | {"review": 1}
    assert used(client) == first


def test_it_shows_the_agents_own_use_and_tier(client, client_of, rates):
    rates(install={"free": "2/h", "plus": "5/10m"})
    other = AgentFactory(tier="plus")
    for _ in range(3):
        client.post(INSTALL, {"slug": "gone"})

    rows = [client.get(URL).json()["limits"][0], client_of(other).get(URL).json()["limits"][0]]

    limits = [(row["limit"], row["windowSeconds"], row["remaining"]) for row in rows]
    assert limits == [(2, 3600, 0), (5, 600, 5)]


@pytest.mark.parametrize("rate", ["0/h", "1/h"])
def test_a_limit_of_nothing_is_no_error(client, rates, rate):
    rates(install=rate)

    assert used(client)["install"] == 0


@pytest.mark.parametrize(
    ("url", "policy", "limit"), [(INSTALL, "install", 20), (REVIEW, "review", 10)]
)
def test_an_operators_limit_counts_below_the_tiers(client, agent, url, policy, limit):
    agent.change(limits={policy: 1})
    assert client.post(url, {"slug": "no-such"}).status_code != 429

    response = client.post(url, {"slug": "no-such"})

    seconds = response["Retry-After"]
    assert response.status_code == 429
    assert response.json() == {"error": f"Rate limit exceeded. Try again in {seconds} seconds."}
    assert response["RateLimit-Policy"] == f'"{policy}";q=1;w=3600'
    assert response["RateLimit"] == f'"{policy}";r=0;t={seconds}'
    agent.change(limits={policy: limit + 1})
    response = client.post(url, {"slug": "no-such"})
    assert response["RateLimit-Policy"] == f'"{policy}";q={limit};w=3600'
    assert response["RateLimit"].startswith(f'"{policy}";r={limit - 3};')
