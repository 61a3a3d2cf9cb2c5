"""Calls that wait for the locks of another transaction."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from agents.models import Agent


def during(change, *calls, meanwhile=lambda: None):
    """The results of calls, each in a thread, that wait for `change`, which then commits.

    `meanwhile` is called once they wait.
    """

    def called(call):
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        with transaction.atomic():
            change()
            results = [pool.submit(called, call) for call in calls]
            wait_until_they_wait(len(calls))
            meanwhile()
        return [result.result() for result in results]


def wait_until_they_wait(number):
    deadline = time.monotonic() + 60
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(
                "SELECT pg_stat_clear_snapshot()"
            )  # A transaction keeps its first snapshot.
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0] == number:
                return
            time.sleep(0.01)
    pytest.fail("The calls did not wait for the lock.")


def sibling(agent, write, *args, **options):
    """A write by the same agent, which holds the agent's lock until it commits."""
    return lambda: write(Agent.objects.get(pk=agent.pk), *args, **options)
