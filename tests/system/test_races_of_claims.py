"""Races of claims end in the specified response: codes, keys, leaks and releases."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from agents.models import Agent, OperatorClaim, OperatorKey
from agents.models.claim_codes import digest_of
from agents.models.operators import LEAKED
from agents.tokens import mint_key
from tests.factories import (
    AgentFactory,
    ask_for_code,
    claim,
)
from tests.system.races import (
    CONFIRM,
    ROUNDS,
    confirming,
    in_parallel,
    rounds,
    statuses,
)
from tests.system.staff import Browser

LEAK = "/api/v1/tokens/revoke"
WRONG = "BBBB-BBBB"
MAX_WRONG, MAX_CODES = 5, 3  # of a claim


@pytest.mark.contract("7.7")
def test_one_code_is_confirmed_once_however_often_it_is_sent(concurrently):
    for number, parallel in enumerate(rounds()):
        agent = AgentFactory()
        previous = claim(agent) if number % 2 else None
        code = ask_for_code(agent, name="Grace Hopper")

        responses = concurrently([("POST", CONFIRM, {"code": code}, agent)] * parallel)

        assert statuses(responses) == {200: parallel}
        assert len({response.body for response in responses}) == 1
        assert OperatorKey.objects.usable().filter(claims__agent=agent).count() == 1
        if previous:
            assert OperatorKey.objects.get(hint__endswith=previous[-4:]).revoked_at


@pytest.mark.contract("7.8")
def test_no_more_than_five_wrong_codes_are_tried(concurrently):
    for number, parallel in enumerate(rounds()):
        agent = AgentFactory()
        if number % 2:
            claim(agent)
        codes = [ask_for_code(agent) for _ in range(1 + number % MAX_CODES)]

        responses = concurrently([("POST", CONFIRM, {"code": WRONG}, agent)] * parallel)
        right = concurrently([("POST", CONFIRM, {"code": code}, agent) for code in codes])

        assert statuses(responses) == {400: MAX_WRONG, 410: parallel - MAX_WRONG}
        assert statuses(right) == {410: len(codes)}


@pytest.mark.contract("7.4")
def test_three_of_many_concurrent_codes_are_valid_and_one_is_confirmed(server):
    for number, parallel in enumerate(rounds()):
        agent = AgentFactory()
        if number % 2:
            claim(agent)
        before = OperatorKey.objects.count()
        url = f"/claim/{agent.claim.secret}"

        pages = in_parallel([partial(ask, server, url)] * parallel)

        codes = [page.body.decode().partition('id="code">')[2][:9] for page in pages]

        assert OperatorKey.objects.count() == before + MAX_CODES
        valid = [code for code in codes if is_valid(agent, code)]
        assert len(valid) == MAX_CODES
        confirmed = in_parallel([confirming(server, agent, code) for code in valid])
        assert statuses(confirmed) == {200: 1, 409: MAX_CODES - 1}
        assert OperatorKey.objects.count() == before + 1


def ask(server, url):
    """The page that somebody's browser shows after they have asked for a code."""
    browser = Browser(server)
    form = browser.form(browser.get(url)) | {"name": "Eve", "email": "eve@example.com"}
    browser.post(url, form)
    return browser.get(url)


def test_a_release_leaves_no_operator_whoever_confirms_meanwhile(server):
    for number, parallel in enumerate(rounds()):
        agent = AgentFactory()
        if number % 2:
            claim(agent)
        code = ask_for_code(agent)

        with ThreadPoolExecutor(1) as staff:
            releasing = staff.submit(release, agent)
            responses = in_parallel([confirming(server, agent, code)] * (parallel // 2))
            releasing.result()

        assert set(statuses(responses)) <= {200, 400}
        assert OperatorClaim.objects.get(agent=agent).status == "unclaimed"
        assert not OperatorKey.objects.usable().exists()
        assert confirming(server, agent, code)().status == 400


def test_a_key_that_leaks_while_it_is_confirmed_opens_nothing(server):
    for number in range(ROUNDS):
        agent, key = AgentFactory(), mint_key()
        previous = claim(agent) if number % 2 else None
        code = ask_for_code(agent, key=key)
        calls = [partial(server.request, "POST", LEAK, {"token": key})]
        calls += [confirming(server, agent, code)] * 7
        random.shuffle(calls)

        responses = in_parallel(calls)

        kept = OperatorKey.objects.get(hint__endswith=key[-4:])
        is_confirmed = kept.confirmed_at is not None
        assert set(statuses(responses)) <= {200, 410}
        assert (statuses(responses)[200] > 1) == is_confirmed
        assert kept.revocation_reason == LEAKED
        assert Browser(server).submit("/operator", key=key).status == 400
        if previous:
            status = Browser(server).submit("/operator", key=previous).status
            assert status == (400 if is_confirmed else 302)


def test_agents_that_swap_their_operators_do_not_deadlock(server):
    for _ in range(ROUNDS):
        mine, theirs = mint_key(), mint_key()
        for key in (mine, theirs):
            claim(AgentFactory(), key=key)  # stays, so that neither key ends
        agents, calls = AgentFactory.create_batch(8), []
        for agent, keys in zip(agents, [(mine, theirs), (theirs, mine)] * 4, strict=True):
            claim(agent, key=keys[0])
            calls.append(confirming(server, agent, ask_for_code(agent, key=keys[1])))

        responses = in_parallel(calls)

        assert statuses(responses) == {200: len(agents)}
        assert [key.claims.count() for key in OperatorKey.objects.usable()[:2]] == [5, 5]


def is_valid(agent, code):
    """Whether the agent can confirm the code."""
    return agent.claim.codes.valid().filter(code_digest=digest_of(code, agent.pk)).exists()


def release(agent):
    try:
        Agent.objects.get(pk=agent.pk).claim.release()
    finally:
        connection.close()
