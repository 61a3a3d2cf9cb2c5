"""Refused requests of an agent are counted for staff (contract 11.12)"""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import Refusal
from tests.factories import AgentFactory

ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"


def counted(agent):
    return [(row.status, row.text, row.number) for row in agent.refusals.all()]


@pytest.mark.contract("11.12")
def test_a_loop_only_counts_and_takes_one_statement(agent, client, rates):
    rates(install="0/h")
    client.post(INSTALL, {"slug": "gone"})

    with CaptureQueriesContext(connection) as queries:
        for _ in range(3):
            assert client.post(INSTALL, {"slug": "gone"}).status_code == 429

    assert counted(agent) == [(429, "Rate limit exceeded: install", 4)]
    assert len([query for query in queries if "agents_refusal" in query["sql"]]) == 3


@pytest.mark.contract("11.12")
def test_an_agent_has_its_newest_twenty_texts_of_a_day(agent, client, anyone):
    other = AgentFactory()
    for name in (agent, other):
        Refusal.objects.record(name, 404, "Skill not found")
    Refusal.objects.update(first_at=timezone.now() - timedelta(hours=25))
    Refusal.objects.record(agent, 404, "Skill not found")
    assert [row.number for row in agent.refusals.all()] == [1]

    for number in range(25):
        client.get(f"{ME}/skills?limit={number}x")
        Refusal.objects.record(agent, 400, f"Text {number} {'of any length ' * 30}")
    anyone.get(f"{ME}/skills")

    texts = [text for _, text, _ in counted(agent)]
    assert len(texts) == 20
    assert texts[0].startswith("Text 24 of")
    assert {len(text) for text in texts} == {200, len("limit must be a whole number from 1 to 100")}
    assert counted(other) == []  # those of a day ago are deleted, whoever is refused next


@pytest.mark.contract("11.12")
def test_a_count_that_fails_changes_no_response(agent, client, monkeypatch, caplog):
    def fail(*_args, **_options):
        raise OperationalError("no more connections")

    monkeypatch.setattr("agents.models.refusals.connection", SimpleNamespace(cursor=fail))

    response = client.post(INSTALL, {"slug": "gone"})

    assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})
    assert "A refusal was not counted: no more connections" in caplog.text
