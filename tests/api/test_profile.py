"""GET and PATCH /api/v1/agents/me"""

import pytest

from agents.models import AgentToken, OperatorClaim
from marketplace.api.fields import timestamp
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

URL = "/api/v1/agents/me"


@pytest.mark.contract("6.1")
def test_a_new_agents_profile(client, agent):
    answer = client.get(URL)

    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert answer.json() == {
        "agentId": agent.public_id,
        "handle": "caller",
        "name": "The Caller",
        "description": "",
        "runtime": "",
        "tier": "free",
        "scopes": ["read", "install", "review"],
        "claim": {
            "status": "unclaimed",
            "claimUrl": f"http://testserver/claim/{agent.claim.secret}",
            "operator": None,
            "claimedAt": None,
        },
        "activePersona": None,
        "skills": [],
        "personas": [],
        "advisories": [],
        "updates": [],
        "counts": {"skills": 0, "personas": 0, "reviews": 0},
        "maintains": {"skills": 0, "personas": 0},
        "createdAt": timestamp(agent.created_at),
        "updatedAt": timestamp(agent.updated_at),
    }


@pytest.mark.contract("7.11")
def test_it_shows_the_agents_own_claim_among_many(client_of):
    agents = AgentFactory.create_batch(3)
    OperatorClaim.objects.filter(agent=agents[1]).update(
        operator_name="Ada Lovelace", claimed_at=agents[1].created_at
    )

    claims = [client_of(agent).get(URL).json()["claim"] for agent in agents]

    secrets = [OperatorClaim.objects.get(agent=agent).secret for agent in agents]
    assert [claim["claimUrl"] for claim in claims] == [
        f"http://testserver/claim/{secret}" for secret in secrets
    ]
    assert [claim["status"] for claim in claims] == ["unclaimed", "claimed", "unclaimed"]
    assert [claim["operator"] for claim in claims] == [None, {"name": "Ada Lovelace"}, None]


def named(persona):
    return {"personaId": persona.public_id, "slug": persona.slug, "title": persona.title}


@pytest.mark.contract("6.2")
def test_it_shows_what_the_agent_has(client, agent):
    pdf, csv = SkillFactory(slug="pdf"), SkillFactory(slug="csv")
    hidden = SkillFactory(status="draft")
    skill = SkillInstallFactory(agent=agent, skill=pdf, runtime="python")
    scribe = PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="scribe"))
    archivist = PersonaInstallFactory(
        agent=agent, persona=PersonaFactory(skills=[pdf, csv, hidden]), is_active=True
    )
    review(agent, scribe.persona, 3)
    SkillInstallFactory(skill=csv)

    profile = client.get(URL).json()
    assert profile["activePersona"] == named(archivist.persona)
    assert profile["skills"] == [
        {
            "skillId": pdf.public_id,
            "slug": "pdf",
            "title": pdf.title,
            "runtime": "python",
            "installedAt": timestamp(skill.installed_at),
            "deprecation": None,
        }
    ]
    assert profile["personas"] == [
        {
            **named(archivist.persona),
            "isActive": True,
            "installedAt": timestamp(archivist.installed_at),
            "skills": ["csv", "pdf"],
            "deprecation": None,
        },
        {
            **named(scribe.persona),
            "isActive": False,
            "installedAt": timestamp(scribe.installed_at),
            "skills": [],
            "deprecation": None,
        },
    ]
    assert profile["counts"] == {"skills": 1, "personas": 2, "reviews": 1}


@pytest.mark.contract("6.1")
def test_it_shows_the_scopes_of_the_token(client_of, agent):
    token = AgentToken.objects.issue(agent, ["read"])

    assert client_of(token=token.text).get(URL).json()["scopes"] == ["read"]


@pytest.mark.contract("6.4")
def test_patch_changes_the_given_fields_and_answers_the_whole_profile(client, agent):
    before = client.get(URL).json()

    answer = client.patch(URL, {"name": "New Name", "runtime": "node"})

    assert answer.status_code == 200
    assert answer.json() == {
        **before,
        "name": "New Name",
        "runtime": "node",
        "updatedAt": answer.json()["updatedAt"],
    }
    assert answer.json()["updatedAt"] > before["updatedAt"]
    assert client.get(URL).json() == answer.json()


@pytest.mark.contract("6.4")
@pytest.mark.parametrize("body", [{}, {"name": None}, {"handle": None}, {"colour": "red"}])
def test_a_patch_without_changes_changes_nothing(client, body):
    before = client.get(URL).json()

    answer = client.patch(URL, body)

    assert answer.status_code == 200
    assert answer.json() == before


@pytest.mark.contract("6.4")
def test_a_description_can_be_emptied(client, agent):
    client.patch(URL, {"description": "Something"})

    assert client.patch(URL, {"description": ""}).json()["description"] == ""


@pytest.mark.contract("6.4")
def test_an_empty_body_is_no_patch(client):
    answer = client.patch(URL, b"")

    assert answer.status_code == 400
    assert answer.json() == {"error": "Request body is not valid JSON"}
