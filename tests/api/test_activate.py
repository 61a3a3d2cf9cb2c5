"""POST /api/v1/agents/me/personas/activate and /deactivate (contract 12.4)."""

import pytest

from catalogue.models import Status
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory

ACTIVATE = "/api/v1/agents/me/personas/activate"
DEACTIVATE = "/api/v1/agents/me/personas/deactivate"
INSTALL = "/api/v1/agents/me/personas/install"


def state_of(agent):
    return dict(agent.persona_installs.present().values_list("persona__slug", "is_active"))


@pytest.fixture
def personas(agent):
    return {
        slug: PersonaInstallFactory(
            agent=agent, persona__slug=slug, is_active=slug == "scribe"
        ).persona
        for slug in ("scribe", "archivist")
    }


@pytest.mark.contract("12.4")
@pytest.mark.parametrize("slug", ["archivist", "scribe"])
def test_it_makes_an_installed_persona_the_one_that_is_active(client, agent, personas, slug):
    answer = client.post(ACTIVATE, {"slug": slug})

    assert answer.status_code == 200
    assert answer.json() == {
        "message": "Persona activated",
        "personaId": personas[slug].public_id,
        "slug": slug,
        "isActive": True,
    }
    assert state_of(agent) == {"scribe": slug == "scribe", "archivist": slug == "archivist"}


@pytest.mark.contract("12.5")
@pytest.mark.parametrize("slug", ["archivist", "scribe"])
def test_it_makes_a_persona_inactive(client, agent, personas, slug):
    answer = client.post(DEACTIVATE, {"slug": slug})

    assert answer.status_code == 200
    assert answer.json() == {
        "message": "Persona deactivated",
        "personaId": personas[slug].public_id,
        "slug": slug,
        "isActive": False,
    }
    assert state_of(agent) == {"scribe": slug == "archivist", "archivist": False}


@pytest.mark.contract("12.6")
@pytest.mark.parametrize("url", [ACTIVATE, DEACTIVATE])
@pytest.mark.parametrize("slug", ["known", "unknown", "another-s", "uninstalled", "A B"])
def test_activating_a_persona_that_is_not_installed_is_not_found(
    client, agent, personas, url, slug
):
    PersonaFactory(slug="known", status=Status.WITHDRAWN)
    PersonaInstallFactory(agent=AgentFactory(), persona__slug="another-s")
    PersonaInstallFactory(agent=agent, persona__slug="uninstalled")
    client.post("/api/v1/agents/me/personas/uninstall", {"slug": "uninstalled"})

    answer = client.post(url, {"slug": slug})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Persona not installed"}
    assert state_of(agent) == {"scribe": True, "archivist": False}


@pytest.mark.contract("12.7")
@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DRAFT])
def test_a_withdrawn_persona_cannot_be_activated_but_deactivated(client, agent, personas, status):
    for persona in personas.values():
        persona.status = status
        persona.save(update_fields=["status"])

    refused = client.post(ACTIVATE, {"slug": "archivist"})

    assert refused.status_code == 404
    assert refused.json() == {"error": "Persona not found"}
    assert state_of(agent) == {"scribe": True, "archivist": False}
    assert client.post(DEACTIVATE, {"slug": "scribe"}).status_code == 200
    assert state_of(agent) == {"scribe": False, "archivist": False}


@pytest.mark.contract("12.7")
def test_a_persona_that_has_got_a_price_can_be_activated(client, agent, personas):
    personas["archivist"].price_cents = 900
    personas["archivist"].save(update_fields=["price_cents"])

    assert client.post(ACTIVATE, {"slug": "archivist"}).status_code == 200
    assert state_of(agent) == {"scribe": False, "archivist": True}


@pytest.mark.contract("12.4")
@pytest.mark.parametrize("active", [None, "scribe", "curator"])
def test_an_install_that_activates_leaves_the_same_state(client_of, active):
    """The rule is in PersonaInstallManager.activate and in the statement INSTALL_PERSONA."""
    others = [PersonaFactory(slug=slug) for slug in ("scribe", "curator")]
    archivist = PersonaFactory(slug="archivist")
    activating, installing = AgentFactory(), AgentFactory()
    for agent in (activating, installing):
        for persona in others:
            PersonaInstallFactory(agent=agent, persona=persona, is_active=persona.slug == active)
    PersonaInstallFactory(agent=activating, persona=archivist)

    body = {"slug": "archivist"}
    activated = client_of(activating).post(ACTIVATE, body)
    installed = client_of(installing).post(INSTALL, {**body, "setActive": True})

    assert (activated.status_code, installed.status_code) == (200, 201)
    expected = {"scribe": False, "curator": False, "archivist": True}
    assert state_of(activating) == state_of(installing) == expected


@pytest.mark.contract("12.4")
def test_activating_leaves_other_agents_alone(client, personas):
    other = AgentFactory()
    PersonaInstallFactory(agent=other, persona=personas["scribe"], is_active=True)

    client.post(ACTIVATE, {"slug": "archivist"})

    assert state_of(other) == {"scribe": True}
