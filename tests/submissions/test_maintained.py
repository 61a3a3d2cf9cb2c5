"""What the profile says about the entries that an agent maintains (contract 29.15)."""

import pytest

from submissions.models import Maintainer
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim
from tests.interfaces.mcp_calls import call

URL = "/api/v1/agents/me"


@pytest.fixture
def maintained(agent):
    """A skill and a persona of the agent, another skill that it maintains no longer."""
    other = AgentFactory()
    skill = SkillFactory()
    for entry in (skill, PersonaFactory()):
        Maintainer.objects.add(entry, agent)
    Maintainer.objects.add(SkillFactory(), agent).remove()
    Maintainer.objects.add(SkillFactory(), other)
    return skill


@pytest.mark.contract("29.15")
def test_the_profile_counts_what_an_agent_maintains(client, maintained):
    assert client.get(URL).json()["maintains"] == {"skills": 1, "personas": 1}
    assert call(client, "my_profile")["structuredContent"]["maintains"] == {
        "skills": 1,
        "personas": 1,
    }


@pytest.mark.contract("29.15")
def test_it_includes_other_agents_of_the_same_operator(agent, client, client_of, maintained):
    helper = AgentFactory()
    key = claim(agent)
    claim(helper, key=key)
    Maintainer.objects.add(maintained, helper)  # counted once
    Maintainer.objects.add(SkillFactory(), helper)

    assert client.get(URL).json()["maintains"] == {"skills": 2, "personas": 1}
    assert client_of(helper).get(URL).json()["maintains"] == {"skills": 2, "personas": 1}
    helper.claim.refresh_from_db()
    helper.claim.release()
    assert client.get(URL).json()["maintains"] == {"skills": 1, "personas": 1}
    assert client_of(helper).get(URL).json()["maintains"] == {"skills": 2, "personas": 0}
