"""The format of tokens, and which ones are refused (contract 4)."""

import string
import zlib
from datetime import timedelta

import pytest
from django.utils import timezone

from agents import tokens
from agents.models import Agent, AgentToken
from installs.sql import PROFILE
from tests.factories import AgentFactory

URL = "/api/v1/agents/me"
DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase


@pytest.mark.contract("4.6")
def test_a_token_is_prefix_random_text_and_checksum(settings):
    settings.TOKEN_PREFIX = "acme"

    text = tokens.mint()

    body, end = text[:-6], text[-6:]
    assert body.startswith("acme_agent_")
    assert len(body.removeprefix("acme_agent_")) == 32
    assert sum(DIGITS.index(digit) * 62**place for place, digit in enumerate(end[::-1])) == (
        zlib.crc32(body.encode())
    )
    assert tokens.is_well_formed(text)


@pytest.mark.contract("4.6")
@pytest.mark.parametrize("body", ["", "a", "mkt_agent_", "mkt_agent_50"])
def test_the_checksum_has_six_digits(body):
    value, end = zlib.crc32(body.encode()), tokens.checksum(body)

    assert len(end) == 6
    assert sum(DIGITS.index(digit) * 62**place for place, digit in enumerate(end[::-1])) == value


@pytest.mark.contract("4.6")
def test_a_token_of_an_earlier_prefix_goes_on_working(client_of, agent, settings):
    earlier = agent.token.text
    settings.TOKEN_PREFIX = "acme"
    later = AgentToken.objects.issue(agent).text

    assert (earlier[:10], later[:11]) == ("mkt_agent_", "acme_agent_")
    for text in (earlier, later):
        response = client_of(token=text).get(URL)
        assert (response.status_code, response.json()["handle"]) == (200, "caller")


@pytest.mark.contract("4.6")
def test_no_two_tokens_are_alike():
    assert len({tokens.mint() for _ in range(1000)}) == 1000


@pytest.mark.contract("4.7")
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-1],
        lambda text: text + "0",
        lambda text: text.upper(),
        lambda text: text[:20] + ("x" if text[20] != "x" else "y") + text[21:],
        lambda text: text.replace("mkt", "xkt"),
        lambda text: text.replace("_agent_", "_user_"),
        lambda text: "é" * 48,
        lambda text: f"{text[:20]} {text[20:]}",
    ],
)
def test_a_damaged_token_is_refused_without_a_query(
    client, client_of, agent, damage, django_assert_num_queries
):
    with django_assert_num_queries(0):
        answer = client_of(token=damage(agent.token.text).encode().decode("latin-1")).get(URL)

    assert answer.status_code == 401
    assert answer.json() == {"error": "Authentication required"}


@pytest.mark.contract("4.1")
@pytest.mark.parametrize("header", ["bearer {}", "BEARER {}", "Bearer   {}", "  Bearer {} "])
def test_the_scheme_is_read_leniently(anyone, agent, header):
    answer = anyone.get(URL, headers={"Authorization": header.format(agent.token.text)})

    assert answer.status_code == 200


@pytest.mark.contract("4.1")
@pytest.mark.parametrize(
    "header",
    [
        *("Token {}", "Basic {}", "{}", "Bearer", "Bearer {} {}", "Bearer,{}", 'Bearer "{}"'),
        *("Bearer \xff", "Bearer {}\xa0", "\xe9"),
    ],
)
def test_any_other_header_is_refused(anyone, agent, header):
    text = agent.token.text

    answer = anyone.get(URL, headers={"Authorization": header.format(text, text)})

    assert answer.status_code == 401
    assert answer.json() == {"error": "Authentication required"}


@pytest.mark.contract("4.10")
def test_a_restored_agents_token_works_again(client, agent):
    agent.suspend()
    agent.restore()

    assert client.get(URL).status_code == 200


def test_a_token_works_until_it_expires(client, agent):
    AgentToken.objects.update(expires_at=timezone.now() + timedelta(minutes=1))

    assert client.get(URL).status_code == 200


@pytest.mark.contract("4.12")
def test_the_last_use_is_written_at_most_every_15_minutes(client, agent):
    client.get(URL)
    first = AgentToken.objects.get().last_used_at
    client.get(URL)

    assert AgentToken.objects.get().last_used_at == first

    AgentToken.objects.update(last_used_at=first - timedelta(minutes=16))
    client.get(URL)

    assert AgentToken.objects.get().last_used_at > first


@pytest.mark.contract("4.12")
def test_the_use_of_one_token_is_noted_of_no_other(client, agent):
    others = [AgentFactory().token.pk, AgentToken.objects.issue(agent).pk]

    client.get(URL)

    used, *unused = AgentToken.objects.order_by("id").values_list("pk", "last_used_at")
    assert (used[0], used[1] is None) == (agent.token.pk, False)
    assert unused == [(pk, None) for pk in others]


STATES = [None, timedelta(days=-1), timedelta(days=1)]


@pytest.mark.contract("4.10")
@pytest.mark.parametrize("suspended", STATES)
@pytest.mark.parametrize("revoked", STATES)
@pytest.mark.parametrize("expires", STATES)
def test_a_token_is_usable_unless_it_is_suspended_revoked_or_expired(
    client_of, suspended, revoked, expires
):
    now = timezone.now()
    agent = AgentFactory(suspended_at=suspended and now + suspended)
    agent.token.expires_at, agent.token.revoked_at = (
        difference and now + difference for difference in (expires, revoked)
    )
    agent.token.save()

    response = client_of(agent).get(URL)

    is_usable = suspended is None and revoked is None and expires != timedelta(days=-1)
    assert response.status_code == (200 if is_usable else 401)


def test_a_profile_reads_the_agent_as_it_is(db):
    known = AgentFactory(name="Ada", description="é\n", runtime="x", tier="gold")
    text = AgentToken.objects.issue(known, ["read", "review"]).text
    AgentFactory()

    token = AgentToken.objects.authenticate(text, PROFILE)

    known = vars(Agent.objects.get(pk=known.pk))
    deferred = {"suspended_at", "suspension_reason", "deleted_at", "paused_at"}
    deferred |= {"invitation_id", "_state"}
    assert {name: known[name] for name in known.keys() - deferred} == {
        name: vars(token.agent)[name] for name in known.keys() - deferred
    }
    assert token.scopes == ["read", "review"]
