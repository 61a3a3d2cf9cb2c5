"""Giving an agent what another agent of the operator has, in the console (contract 19.29)"""

import pytest

from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim
from tests.operators.conftest import publish
from tests.operators.test_action_effects import history
from tests.operators.test_console import text_of

COPY = "/operator/agents/caller/copy-installs"


@pytest.fixture
def source(key):
    """An agent with something of each sort."""
    source = AgentFactory(handle="source")
    claim(source, key=key)
    for slug in ("new", "both", "gone", "recalled"):
        SkillFactory(slug=slug)
        SkillInstall.objects.install(source, slug)
    held = SkillFactory(slug="held")
    SkillInstall.objects.install(source, "held", version=1)
    publish(held, "Two.")
    SkillInstall.objects.pin(source, "recalled")
    recalled = SkillInstall.objects.get(agent=source, skill__slug="recalled").skill
    publish(recalled, "Two.")
    recalled.versions.get(number=1).recall("It leaks.")
    SkillInstall.objects.get(agent=source, skill__slug="gone").skill.withdraw()
    PersonaFactory(slug="clerk")
    PersonaInstall.objects.install(source, "clerk", activate=True)
    return source


def installs_of(agent):
    """`{slug: (number, pinned number)}`, and the active persona."""
    rows = agent.skill_installs.present().values_list("skill__slug", "number", "pinned__number")
    active = agent.persona_installs.present().filter(is_active=True)
    return {slug: rest for slug, *rest in rows}, [row.persona.slug for row in active]


@pytest.mark.contract("19.29")
def test_it_gets_what_it_lacks_with_the_same_pins_and_persona(console, agent, source):
    SkillInstall.objects.install(agent, "both", version=1)
    assert "Copy another agent" in text_of(console.get("/operator/agents/caller"))

    text = text_of(console.get(f"{COPY}?source=source"))

    assert (
        "This installs for caller held skill, pinned to version 1 new skill clerk persona "
        "Its active persona becomes clerk. Install all Cancel"
    ) in text
    assert installs_of(agent) == ({"both": [1, 1]}, [])
    assert console.submit(COPY, source="source").status_code == 302
    everything = {"both": [1, 1], "new": [1, None], "held": [1, 1]}
    assert installs_of(agent) == (everything, ["clerk"])
    noted = "Installed what source has: held 1, new, clerk, clerk active."
    assert history(agent)[0] == ("Ada Lovelace", noted)
    assert "There is nothing to change." in text_of(console.get(f"{COPY}?source=source"))
    assert console.submit(COPY, source="source").status_code == 302
    assert history(agent)[0] == ("Ada Lovelace", noted)


@pytest.mark.contract("19.29")
def test_only_an_agent_of_the_operator_can_be_the_source(console, agent, source):
    claim(AgentFactory(handle="theirs"), name="Eve")

    for handle in ("theirs", "caller", "nobody", ""):
        page = console.submit(COPY, source=handle)
        assert page.status_code == 400, handle
        assert "Nothing has been changed." in text_of(page, 400), handle
    assert "theirs" not in text_of(console.get(COPY))
    assert installs_of(agent) == ({}, [])


@pytest.mark.contract("19.29")
def test_a_paused_agent_gets_nothing(console, agent, source):
    agent.pause()

    page = console.submit(COPY, source="source")

    assert page.status_code == 400
    assert "The agent is paused." in text_of(page, 400)
    assert installs_of(agent) == ({}, [])
