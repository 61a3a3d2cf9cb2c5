"""Rows that several files search."""

import pytest
from django.utils import timezone

from tests.api.concurrency import during
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
def post_during(transactional_db, client, agent):
    """POST as `agent` while `change`, which locks what the request needs, is uncommitted."""
    # Recently used, so that authenticating does not write, and so wait for a lock of the test.
    agent.tokens.update(last_used_at=timezone.now())

    def post_during(change, url, body):
        [response] = during(change, lambda: client.post(url, body))
        return response

    return post_during
