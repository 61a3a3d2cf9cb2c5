"""Identifiers are opaque: a prefix for the kind, then random characters (contract 1.5)."""

import re

import pytest

from tests.factories import PersonaFactory, SkillFactory

ME = "/api/v1/agents/me"


def identifiers(anyone, client, number):
    """An identifier of each kind, from the response that first shows it."""
    SkillFactory(slug=f"skill-{number}")
    PersonaFactory(slug=f"persona-{number}")
    skill, persona = {"slug": f"skill-{number}"}, {"slug": f"persona-{number}"}
    report = {"kind": "skill", **skill, "reason": "broken"}
    review = {"personaSlug": f"persona-{number}", "rating": 4}
    return {
        "agent": anyone.post("/api/v1/agents/register").json()["agentId"],
        "skill": client.post(f"{ME}/skills/install", skill).json()["skillId"],
        "persona": client.post(f"{ME}/personas/install", persona).json()["personaId"],
        "review": client.post(f"{ME}/reviews", review).json()["reviewId"],
        "token": client.post(f"{ME}/tokens").json()["tokenId"],
        "report": client.post(f"{ME}/reports", report).json()["reportId"],
    }


@pytest.mark.contract("1.5")
def test_an_identifier_has_the_prefix_of_its_kind_and_tells_nothing_else(anyone, client):
    first, second = (identifiers(anyone, client, number) for number in range(2))

    for kind, identifier in [*first.items(), *second.items()]:
        assert re.fullmatch(rf"{kind}_[0-9A-Za-z]{{16}}", identifier)
    for kind, identifier in first.items():
        # Sequential identifiers would begin alike.
        assert identifier[: len(kind) + 9] != second[kind][: len(kind) + 9]
