"""Many requests at once: each token is exchanged once, and each issuer asked once (contract 31)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from marketplace import issuers
from publishers.models import Issuer
from tests.publishers.conftest import BUSY, REFUSED, URL
from tests.publishers.issuer import BOTH


@pytest.mark.contract("31.10")
@pytest.mark.django_db(transaction=True)
def test_of_several_processes_one_fetches(issuer, agent):
    """Here threads, without the turn that those of one process take."""
    issuer.publisher(agent)
    row = Issuer.objects.create(url=issuer.url)
    barrier = Barrier(8)

    def may_fetch(_number):
        try:
            barrier.wait()
            return Issuer.objects.get(pk=row.pk).may_fetch()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(may_fetch, range(8))) == [False] * 7 + [True]
    assert not row.may_fetch()


@pytest.mark.contract("31.7", "31.10")
@pytest.mark.django_db(transaction=True)
def test_of_many_replays_at_once_one_gets_a_token(issuer, agent, anyone, rates):
    rates(exchange="1000/h", exchange_publisher="1000/h")
    issuer.publisher(agent)
    token = issuer.token()

    def replay(_number):
        try:
            response = type(anyone)().post(URL, {"token": token})
            return response.status_code, response.json().get("error")
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(replay, range(48)))

    assert [status for status, _ in answers].count(201) == 1
    others = {answer for answer in answers if answer[0] != 201}
    assert others <= {(401, REFUSED["error"]), (503, BUSY["error"])}
    assert agent.tokens.count() == 2
    assert issuer.fetched == BOTH


@pytest.mark.contract("31.9")
@pytest.mark.django_db(transaction=True)
def test_keys_are_fetched_outside_of_transactions(issuer, exchange, agent, monkeypatch):
    fetch, seen = issuers.within_bounds, []

    def within_bounds(*arguments):
        seen.append(connection.in_atomic_block)
        return fetch(*arguments)

    monkeypatch.setattr(issuers, "within_bounds", within_bounds)
    issuer.publisher(agent)

    assert exchange(issuer.token()).status_code == 201
    assert seen == [False]
