"""Refreshes and exchanges of one connection at once (contract 35.8, 35.15)

The requests wait for the lock of the agent, which another transaction holds, and then take turns.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection as database
from django.db import transaction

from agents.models import AgentToken
from connections.models import Connection
from tests.api.concurrency import during
from tests.connections.test_tokens import works

ROUNDS, CALLS = 30, 5
TOKENS = ("access_token", "refresh_token")

pytestmark = pytest.mark.usefixtures("transactional_db")


def texts_of(response):
    assert response.status_code == 200, response.content
    sent = response.json()
    return tuple(sent[name] for name in TOKENS)


@pytest.mark.contract("35.8")
def test_parallel_refreshes_never_lose_the_connection_and_never_leave_two(
    connector, connection, client_of
):
    start, seen = Barrier(CALLS, timeout=60), [{("", connection.refresh_token)}]

    def refresh_in_rounds():
        try:
            for number in range(ROUNDS):
                [(_, text)] = seen[number]
                if start.wait() == 0:
                    seen.append(set())
                start.wait()
                seen[number + 1].add(texts_of(connector.refresh(text)))
                start.wait()
        finally:
            database.close()

    with ThreadPoolExecutor(CALLS) as pool:
        for done in [pool.submit(refresh_in_rounds) for _ in range(CALLS)]:
            done.result()

    # All calls of a round got the same tokens.
    [(access_token, text)] = seen[-1]
    assert len({text for [(_, text)] in seen}) == ROUNDS + 1
    assert Connection.objects.count() == 1
    assert AgentToken.objects.filter(connection=connection).count() == 1
    assert works(client_of, access_token)
    assert texts_of(connector.refresh(text))


@pytest.mark.contract("35.15")
def test_two_exchanges_of_a_code_leave_nothing(connected, connector, code_of, client_of):
    code = code_of()

    responses = during(connected.lock, *[lambda: connector.exchange(code)] * 2)

    assert sorted(response.status_code for response in responses) == [200, 400]
    [sent] = [response.json() for response in responses if response.status_code == 200]
    assert not works(client_of, sent["access_token"])
    assert connector.refresh(sent["refresh_token"]).status_code == 400


@pytest.mark.contract("35.17")
def test_a_busy_database_is_an_error_that_clients_know(connected, connector, connection):
    def refresh():
        try:
            with database.cursor() as cursor:
                cursor.execute("SET lock_timeout = '50ms'")
            return connector.refresh(connection.refresh_token)
        finally:
            database.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        connected.lock()
        response = pool.submit(refresh).result()

    assert (response.status_code, response.json()) == (
        503,
        {
            "error": "temporarily_unavailable",
            "error_description": "Service temporarily unavailable. Try again in a few seconds.",
        },
    )
    assert response["Retry-After"] == "2"
    assert connector.refresh(connection.refresh_token).status_code == 200


@pytest.mark.contract("35.7")
def test_a_refresh_that_waits_for_a_release_is_refused(connected, connector, connection, client_of):
    [response] = during(
        connected.claim.release, lambda: connector.refresh(connection.refresh_token)
    )

    assert response.status_code == 400
    assert not works(client_of, connection.access_token)


@pytest.mark.contract("35.7")
def test_what_waits_while_staff_block_the_client_is_refused(
    connector, connection, code_of, client_of
):
    code = code_of()

    responses = during(
        connector.row.block,
        lambda: connector.refresh(connection.refresh_token),
        lambda: connector.exchange(code),
    )

    assert [response.json()["error"] for response in responses] == ["invalid_grant"] * 2
    assert not works(client_of, connection.access_token)
