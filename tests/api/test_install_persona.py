"""POST /api/v1/agents/me/personas/install (contract 9.5)"""

import pytest

from tests.api.installed import installed_persona_text
from tests.api.versions import persona_with_versions
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
)

URL = "/api/v1/agents/me/personas/install"


def state_of(agent):
    """The agent's personas, as `{slug: is_active}`."""
    return dict(agent.persona_installs.values_list("persona__slug", "is_active"))


@pytest.mark.contract("9.5")
@pytest.mark.parametrize("body", [{}, {"setActive": False}, {"setActive": None}])
def test_it_installs_without_activating(client, agent, body):
    persona = PersonaFactory(slug="archivist")

    answer = client.post(URL, {"slug": "archivist", **body})

    assert answer.status_code == 201
    assert answer.json() == {
        "message": "Persona installed",
        "personaId": persona.public_id,
        "slug": "archivist",
        "isActive": False,
        **installed_persona_text(persona),
    }
    assert state_of(agent) == {"archivist": False}


@pytest.mark.contract("9.5")
def test_it_installs_and_activates(client, agent):
    persona = PersonaFactory(slug="archivist")

    answer = client.post(URL, {"slug": "archivist", "setActive": True})

    assert answer.status_code == 201
    assert answer.json() == {
        "message": "Persona installed",
        "personaId": persona.public_id,
        "slug": "archivist",
        "isActive": True,
        **installed_persona_text(persona),
    }
    assert state_of(agent) == {"archivist": True}


@pytest.mark.contract("9.6")
def test_activating_deactivates_the_previous_persona(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe", is_active=True)
    PersonaFactory(slug="archivist")

    client.post(URL, {"slug": "archivist", "setActive": True})

    assert state_of(agent) == {"scribe": False, "archivist": True}


@pytest.mark.contract("9.6")
def test_installing_without_activating_leaves_the_active_persona(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe", is_active=True)
    PersonaFactory(slug="archivist")

    client.post(URL, {"slug": "archivist"})

    assert state_of(agent) == {"scribe": True, "archivist": False}


@pytest.mark.contract("9.6")
def test_installing_a_persona_leaves_other_agents_alone(client):
    other = AgentFactory()
    PersonaInstallFactory(agent=other, persona__slug="scribe", is_active=True)
    PersonaFactory(slug="archivist")

    client.post(URL, {"slug": "archivist", "setActive": True})

    assert state_of(other) == {"scribe": True}


@pytest.mark.contract("9.4")
def test_it_counts_one_install(client):
    persona = PersonaFactory(slug="archivist", installs=3)

    client.post(URL, {"slug": "archivist"})
    client.post(URL, {"slug": "archivist"})

    persona.refresh_from_db()
    assert persona.installs == 4


@pytest.mark.contract("9.7")
@pytest.mark.parametrize("was_active", [True, False])
@pytest.mark.parametrize("set_active", [True, False])
def test_an_installed_persona_is_a_conflict_and_stays_as_it_is(
    client, agent, was_active, set_active
):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=was_active)
    PersonaInstallFactory(agent=agent, persona__slug="scribe", is_active=not was_active)

    answer = client.post(URL, {"slug": "archivist", "setActive": set_active})

    assert answer.status_code == 409
    assert answer.json() == {"error": "Persona already installed"}
    assert state_of(agent) == {"archivist": was_active, "scribe": not was_active}


@pytest.mark.contract("9.7")
@pytest.mark.parametrize("set_active", [True, False])
def test_a_priced_persona_requires_payment(client, agent, set_active):
    persona = PersonaFactory(slug="archivist", price_cents=500)
    PersonaInstallFactory(agent=agent, persona__slug="scribe", is_active=True)

    answer = client.post(URL, {"slug": "archivist", "setActive": set_active})

    assert answer.status_code == 402
    assert answer.json() == {
        "error": "This persona requires payment. Agent API currently supports free personas only."
    }
    assert state_of(agent) == {"scribe": True}
    persona.refresh_from_db()
    assert persona.installs == 0


@pytest.mark.contract("9.8")
def test_an_installed_persona_is_a_conflict_even_once_it_has_a_price(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", persona__price_cents=500)

    answer = client.post(URL, {"slug": "archivist"})

    assert answer.status_code == 409
    assert answer.json() == {"error": "Persona already installed"}


@pytest.mark.contract("9.8")
@pytest.mark.parametrize("price", [0, 500])
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_an_installed_persona_is_a_conflict_even_once_it_is_not_published(
    client, agent, status, price
):
    persona = PersonaFactory(slug="archivist", status=status, price_cents=price, installs=1)
    PersonaInstallFactory(agent=agent, persona=persona)

    answer = client.post(URL, {"slug": "archivist", "setActive": True})

    assert answer.status_code == 409
    assert answer.json() == {"error": "Persona already installed"}
    persona.refresh_from_db()
    assert (state_of(agent), persona.installs) == ({"archivist": False}, 1)


@pytest.mark.contract("9.7")
@pytest.mark.parametrize("status", [None, "draft", "withdrawn"])
def test_installing_an_unpublished_persona_is_not_found(client, status):
    if status:
        PersonaFactory(slug="archivist", status=status, price_cents=500)

    answer = client.post(URL, {"slug": "archivist"})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Persona not found"}


@pytest.mark.contract("9.9")
def test_bundled_skills_are_not_installed_separately(client, agent):
    skill = SkillFactory()
    PersonaFactory(slug="archivist", skills=[skill])

    client.post(URL, {"slug": "archivist"})

    skill.refresh_from_db()
    assert skill.downloads == 0
    assert not agent.skill_installs.exists()


@pytest.mark.contract("9.11")
def test_the_url_of_an_install_has_the_installed_prompt(client):
    persona = persona_with_versions()

    install = client.post(URL, {"slug": "archivist", "version": 1}).json()

    assert install == {
        "message": "Persona installed",
        "personaId": persona.public_id,
        "slug": "archivist",
        "isActive": False,
        **installed_persona_text(persona, number=1),
    }
    detail = client.get(install["url"]).json()
    assert (detail["content"], detail["digest"]) == ("You are one.", install["digest"])
