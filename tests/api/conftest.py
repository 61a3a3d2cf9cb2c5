"""Rows that several files search."""

import pytest

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
