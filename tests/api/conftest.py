"""Rows that several files search."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.conftest import ApiClient, as_json
from tests.factories import PersonaFactory, SkillFactory

LABELS = {"category": "weather", "tags": ["x"]}


@pytest.fixture
def entries(transactional_db):
    skill = SkillFactory(slug="reader", title="Barometer Reader", **LABELS)
    persona = PersonaFactory(slug="keeper", title="Barometer Keeper", skills=[skill], **LABELS)
    return {
        "skill": skill,
        "persona": persona,
        "other skill": SkillFactory(slug="other", title="Thermometer"),
        "other persona": PersonaFactory(slug="other", title="Thermometer", skills=[]),
        "draft": SkillFactory(slug="draft", title="Barometer", status="draft"),
    }


@pytest.fixture
def during(transactional_db, agent):
    """Send (method, path, body, token) each in a thread, while `change` is still uncommitted."""
    # Used just now: authenticating does not write, and thus wait for what the test has locked.
    agent.tokens.update(last_used_at=timezone.now())

    def send(method, path, body, token):
        client = ApiClient(raise_request_exception=False)
        client.token = token.text
        try:
            return client.generic(method, path, body)
        finally:
            connection.close()

    def during(change, *requests):
        with ThreadPoolExecutor(len(requests)) as pool:
            with transaction.atomic():
                change()
                responses = [pool.submit(send, *request) for request in requests]
                wait_until_they_wait(len(requests))
            return [response.result() for response in responses]

    return during


def wait_until_they_wait(number):
    deadline = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # A transaction reads the same one.
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0] == number:
                return
            time.sleep(0.01)
    pytest.fail("The requests did not wait for the lock.")


@pytest.fixture
def post_during(during, agent):
    """POST as `agent` while `change`, which locks what the request needs, is still uncommitted."""

    def post_during(change, url, body):
        [response] = during(change, ("POST", url, as_json(body), agent.token))
        return response

    return post_during
