"""Rate limits (contract 11)"""

import time

import pytest
from django.utils import timezone
from redis.exceptions import TimeoutError as RedisTimeoutError

from agents.models import AgentToken
from marketplace.ratelimits.counters import PostgresCounters
from tests.factories import AgentFactory, SkillFactory

SKILL = "/api/v1/agents/me/skills/install"
PERSONA = "/api/v1/agents/me/personas/install"
REGISTER = "/api/v1/agents/register"


def seconds_in(header):
    return int(header.rpartition("t=")[2])


def wait_of(response, policy="install"):
    """The seconds to wait, which a 429 states in three places."""
    seconds = response["Retry-After"]
    assert response.status_code == 429
    assert response.json() == {"error": f"Rate limit exceeded. Try again in {seconds} seconds."}
    assert response["RateLimit"] == f'"{policy}";r=0;t={seconds}'
    return int(seconds)


@pytest.mark.contract("11.1")
def test_both_install_endpoints_share_one_count(client, rates):
    rates(install="2/h")

    statuses = [client.post(url, {"slug": "no"}).status_code for url in (SKILL, PERSONA, SKILL)]

    assert statuses == [404, 404, 429]


@pytest.mark.contract("11.3")
def test_the_count_is_the_agents_not_the_tokens(client_of, agent, rates):
    rates(install="2/h")
    other_token = AgentToken.objects.issue(agent).text

    statuses = [
        client_of(token=token).post(SKILL, {"slug": "no"}).status_code
        for token in (agent.token.text, other_token, agent.token.text)
    ]

    assert statuses == [404, 404, 429]


@pytest.mark.contract("11.3")
def test_agents_are_counted_separately(client, client_of, rates):
    rates(install="1/h")
    client.post(SKILL)

    assert client_of(AgentFactory()).post(SKILL, {"slug": "no"}).status_code == 404


@pytest.mark.contract("11.2")
@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        (lambda client: client.post(SKILL, {"slug": "pdf"}), 201),
        (lambda client: client.post(SKILL, {"slug": "no"}), 404),
        (lambda client: client.post(SKILL, b"{"), 400),
        (lambda client: client.post(SKILL, b"x" * 70_000), 413),
        (lambda client: client.generic("POST", SKILL, b"{}", "text/plain"), 415),
    ],
)
def test_it_counts_whatever_the_outcome(client, rates, request_of, status):
    SkillFactory(slug="pdf")
    rates(install="1/h")

    assert request_of(client).status_code == status
    assert client.post(SKILL).status_code == 429


@pytest.mark.contract("11.2")
@pytest.mark.parametrize("scopes", [None, ["read"]])
def test_a_request_refused_by_token_or_scope_is_not_counted(client_of, agent, rates, scopes):
    rates(install="1/h")
    text = "mkt_agent_wrong" if scopes is None else AgentToken.objects.issue(agent, scopes).text
    for _ in range(3):
        assert client_of(token=text).post(SKILL).status_code in {401, 403}

    assert client_of(agent).post(SKILL, {"slug": "no"}).status_code == 404


@pytest.mark.contract("11.2")
def test_a_refused_request_does_nothing(client, agent, rates):
    SkillFactory(slug="pdf")
    rates(install="0/h")

    assert client.post(SKILL, {"slug": "pdf"}).status_code == 429
    assert not agent.skill_installs.exists()


@pytest.mark.contract("11.4")
def test_a_tier_has_its_own_limits(client_of, rates):
    rates(install={"free": "1/h", "plus": "3/2m"})
    plus, unheard_of = AgentFactory(tier="plus"), AgentFactory(tier="unheard-of")

    response = client_of(plus).post(SKILL)

    assert response["RateLimit-Policy"] == '"install";q=3;w=120'
    assert client_of(unheard_of).post(SKILL)["RateLimit-Policy"] == '"install";q=1;w=3600'


@pytest.mark.contract("11.5")
def test_a_new_window_starts_from_zero(client, rates, monkeypatch):
    rates(install="1/h")
    client.post(SKILL)
    assert client.post(SKILL).status_code == 429

    later = timezone.now().timestamp() + 3601
    monkeypatch.setattr("django_ratelimit.core.time.time", lambda: later)

    assert client.post(SKILL, {"slug": "no"}).status_code == 404


@pytest.mark.contract("11.5")
def test_a_window_does_not_move_and_begins_at_another_time_for_each_agent(
    client_of, rates, monkeypatch
):
    rates(install="9/h")
    start = 2_000_000_000
    clients = [client_of(AgentFactory()) for _ in range(8)]

    def ends(now):
        """When each agent's window ends, according to a request at that time."""
        monkeypatch.setattr("django_ratelimit.core.time.time", lambda: now)
        responses = [client.post(SKILL, {"slug": "no"}) for client in clients]
        assert {response.status_code for response in responses} == {404}
        return [now + seconds_in(response["RateLimit"]) for response in responses]

    first = ends(start)
    # Before the first of them ends, which may be in a second.
    during = ends(min(first) - 1)

    assert during == first
    assert all(start < end <= start + 3600 for end in first)
    assert len(set(first)) > 1


@pytest.mark.contract("11.7")
def test_a_client_that_waits_for_retry_after_is_served_and_no_sooner(client, rates, monkeypatch):
    """At every second of a window, whenever it begins."""
    rates(install="3/10s")

    def at(now):
        monkeypatch.setattr("django_ratelimit.core.time.time", lambda: now)
        return client.post(SKILL, {"slug": "no"})

    waits = set()
    for now in (2_000_000_000.5 + 21 * number for number in range(10)):
        served = [at(now).status_code for _ in range(3)]
        wait = wait_of(at(now))
        waits.add(wait)

        assert served == [404] * 3
        assert at(now + wait - 1).status_code == 429
        assert at(now + wait).status_code == 404
    assert waits == set(range(1, 11))


@pytest.mark.contract("11.7")
def test_a_window_that_ends_while_a_request_is_counted_asks_for_one_second(
    client, rates, monkeypatch
):
    rates(install="0/h")
    monkeypatch.setattr("django_ratelimit.core._get_window", lambda value, period: 1_000_000)
    monkeypatch.setattr("django_ratelimit.core.time.time", lambda: 1_000_001)

    assert wait_of(client.post(SKILL)) == 1


@pytest.mark.parametrize("shift", [-7200, 7200])
def test_a_host_whose_clock_is_wrong_has_limits_too(client, rates, monkeypatch, shift):
    rates(install="2/h")
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + shift)

    responses = [client.post(SKILL, {"slug": "no"}) for _ in range(3)]

    assert [response.status_code for response in responses] == [404, 404, 429]
    assert 1 <= wait_of(responses[2]) <= 3600


@pytest.mark.contract("5.6")
def test_registration_is_counted_by_address(anyone, rates):
    rates(register="1/h")

    def register(address):
        return anyone.post(REGISTER, REMOTE_ADDR=address).status_code

    assert [register("192.0.2.1"), register("192.0.2.1"), register("192.0.2.2")] == [201, 429, 201]


def test_a_forwarded_address_is_believed_only_from_trusted_proxies(anyone, rates, settings):
    rates(register="1/h")

    def register(forwarded):
        return anyone.post(REGISTER, headers={"X-Forwarded-For": forwarded}).status_code

    assert [register("192.0.2.1"), register("192.0.2.2")] == [201, 429]
    settings.TRUSTED_PROXY_COUNT = 1
    assert [register("192.0.2.1"), register("x, 192.0.2.2"), register("y, 192.0.2.2")] == [
        *(201, 201),
        429,
    ]


@pytest.mark.contract("3.8")
@pytest.mark.usefixtures("agent")
def test_a_failing_store_is_a_503(client, monkeypatch):
    def fail(*_args, **_kwargs):
        raise RedisTimeoutError("away")

    monkeypatch.setattr(PostgresCounters, "add", fail)

    response = client.post(SKILL)

    assert response.status_code == 503
    assert response["Retry-After"] == "2"
    assert response.json() == {
        "error": "Service temporarily unavailable. Try again in a few seconds."
    }
