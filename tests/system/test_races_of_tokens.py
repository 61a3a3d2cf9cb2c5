"""Races of an agent's tokens end in the specified response."""

import random
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.db import connection

from agents.models import AgentToken
from tests.factories import AgentFactory, SkillFactory
from tests.system.races import ME, ROUNDS, rounds, statuses, wait_for

TOKENS, ROTATE, LEAKED = f"{ME}/tokens", f"{ME}/tokens/rotate", "/api/v1/tokens/revoke"
INSTALL = f"{ME}/skills/install"


def with_tokens(number):
    """An agent, and many callers with a token each."""
    agent = AgentFactory()
    others = [AgentToken.objects.issue(agent) for _ in range(number - 1)]
    return agent, [agent, *(SimpleNamespace(token=token) for token in others)]


@pytest.mark.contract("15.7")
def test_one_token_is_rotated_once(concurrently):
    for parallel in rounds():
        agent = AgentFactory()

        responses = concurrently([("POST", ROTATE, {"graceSeconds": 0}, agent)] * parallel)

        assert statuses(responses) == {201: 1, 401: parallel - 1}
        assert agent.tokens.count() == 2
        [usable] = agent.tokens.usable()
        [rotated] = [response for response in responses if response.status == 201]
        assert rotated.json()["tokenId"] == usable.public_id


def test_a_token_in_use_is_used_before_it_is_rotated_or_refused(concurrently):
    for number, parallel in enumerate(rounds()):
        grace = 600 * (number % 2)  # during which it can only read
        agent, skills = AgentFactory(), SkillFactory.create_batch(parallel // 2)
        uses = [("POST", INSTALL, {"slug": skill.slug}, agent) for skill in skills]
        uses += [("GET", ME, None, agent)] * (parallel // 2 - 1)
        random.shuffle(uses)

        rotated, *used = concurrently([("POST", ROTATE, {"graceSeconds": grace}, agent), *uses])
        after = concurrently(uses)

        assert rotated.status == 201
        assert set(statuses(used)) <= {200, 201, 403 if grace else 401}
        assert statuses(used)[201] == agent.skill_installs.count()
        reads = parallel // 2 - 1
        refused = {200: reads, 403: len(skills)} if grace else {401: len(uses)}
        assert statuses(after) == refused


def test_the_tenth_token_is_made_once(concurrently):
    for parallel in rounds():
        agent, callers = with_tokens(AgentToken.MAX_USABLE - 1)
        calls = [(TOKENS, {}), (ROTATE, {"graceSeconds": 600})]

        responses = concurrently(
            [
                ("POST", *calls[number % 2], callers[number % len(callers)])
                for number in range(parallel)
            ]
        )

        assert statuses(responses) == {201: 1, 409: parallel - 1}
        assert agent.tokens.usable().count() == AgentToken.MAX_USABLE


def test_no_token_makes_another_after_it_was_revoked(concurrently):
    for parallel in rounds():
        agent, [_, leaked] = with_tokens(2)

        with ThreadPoolExecutor(1) as finder:
            revoking = finder.submit(revoke_and_count, agent, leaked)
            responses = concurrently([("POST", TOKENS, {}, leaked)] * parallel)
            made_when_revoked = revoking.result()

        assert set(statuses(responses)) <= {201, 401, 409}
        assert statuses(responses)[201] == made_when_revoked == agent.tokens.count() - 2


def revoke_and_count(agent, leaked):
    try:
        wait_for(agent.tokens.filter(pk__gt=leaked.token.pk))
        AgentToken.objects.revoke_leaked(leaked.token.text)
        return agent.tokens.count() - 2
    finally:
        connection.close()


def test_writes_of_tokens_do_not_deadlock(concurrently):
    for _ in range(ROUNDS):
        agent, callers = with_tokens(5)
        skills = SkillFactory.create_batch(5)
        requests = [
            request
            for caller, other, skill in zip(callers, callers[1:] + callers[:1], skills, strict=True)
            for request in (
                ("POST", TOKENS, {"expiresInDays": 1}, caller),
                ("POST", ROTATE, {"graceSeconds": random.choice([0, 600])}, caller),
                ("DELETE", f"{TOKENS}/{other.token.public_id}", None, caller),
                ("POST", LEAKED, {"token": other.token.text}, None),
                ("POST", INSTALL, {"slug": skill.slug}, caller),
                ("GET", TOKENS, None, caller),
            )
        ]
        random.shuffle(requests)

        responses = concurrently(requests)

        assert set(statuses(responses)) <= {200, 201, 401, 403, 404, 409}
        assert agent.tokens.usable().count() <= AgentToken.MAX_USABLE
