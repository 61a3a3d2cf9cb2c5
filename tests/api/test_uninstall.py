"""POST /api/v1/agents/me/skills/uninstall and /personas/uninstall (contract 12)."""

import pytest

from catalogue.models import Status
from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

SKILL = "/api/v1/agents/me/skills/uninstall"
PERSONA = "/api/v1/agents/me/personas/uninstall"
ME = "/api/v1/agents/me"


@pytest.mark.contract("12.2", "12.7")
@pytest.mark.parametrize("status", Status.values)
def test_a_skill_is_uninstalled_whatever_staff_have_done_with_it(client, agent, status):
    install = SkillInstallFactory(agent=agent, skill__slug="pdf-tables", skill__status=status)

    answer = client.post(SKILL, {"slug": "pdf-tables"})

    assert answer.status_code == 200
    assert answer.json() == {
        "message": "Skill uninstalled",
        "skillId": install.skill.public_id,
        "slug": "pdf-tables",
    }
    profile = client.get(ME).json()
    assert (profile["skills"], profile["counts"]["skills"], profile["advisories"]) == ([], 0, [])


@pytest.mark.contract("12.3", "12.7")
@pytest.mark.parametrize("status", Status.values)
@pytest.mark.parametrize("is_active", [True, False])
def test_a_persona_is_uninstalled_and_active_no_more(client, agent, status, is_active):
    install = PersonaInstallFactory(
        agent=agent, persona__slug="archivist", persona__status=status, is_active=is_active
    )

    answer = client.post(PERSONA, {"slug": "archivist"})

    assert answer.status_code == 200
    assert answer.json() == {
        "message": "Persona uninstalled",
        "personaId": install.persona.public_id,
        "slug": "archivist",
    }
    profile = client.get(ME).json()
    assert (profile["personas"], profile["activePersona"]) == ([], None)
    assert (profile["counts"]["personas"], profile["advisories"]) == (0, [])


@pytest.mark.contract("12.6")
@pytest.mark.parametrize(
    ("url", "error"), [(SKILL, "Skill not installed"), (PERSONA, "Persona not installed")]
)
@pytest.mark.parametrize("slug", ["known", "unknown", "another-s", "uninstalled", "A B"])
def test_uninstalling_an_entry_that_is_not_installed_is_not_found(client, agent, url, error, slug):
    for factory, make in (
        (SkillInstallFactory, SkillFactory),
        (PersonaInstallFactory, PersonaFactory),
    ):
        kind = make._meta.model.__name__.lower()
        make(slug="known")
        factory(agent=AgentFactory(), **{f"{kind}__slug": "another-s"})
        factory(agent=agent, **{f"{kind}__slug": "uninstalled"})
        client.post(f"/api/v1/agents/me/{kind}s/uninstall", {"slug": "uninstalled"})

    answer = client.post(url, {"slug": slug})

    assert answer.status_code == 404
    assert answer.json() == {"error": error}


@pytest.mark.contract("9.4", "12.8")
def test_installing_again_is_new_and_counts_again(client, agent):
    skill = SkillFactory(slug="pdf-tables")
    install, uninstall = "/api/v1/agents/me/skills/install", {"slug": "pdf-tables"}

    statuses = [
        client.post(url, uninstall).status_code for url in (install, SKILL, install, install)
    ]

    skill.refresh_from_db()
    assert statuses == [201, 200, 201, 409]
    assert skill.downloads == 2
    assert SkillInstall.objects.filter(agent=agent).count() == 2
    assert SkillInstall.objects.present().filter(agent=agent).count() == 1


@pytest.mark.contract("12.8")
def test_a_persona_installed_again_may_be_active_again(client, agent):
    persona = PersonaFactory(slug="archivist")
    install, body = "/api/v1/agents/me/personas/install", {"slug": "archivist", "setActive": True}

    statuses = [client.post(url, body).status_code for url in (install, PERSONA, install)]

    persona.refresh_from_db()
    assert statuses == [201, 200, 201]
    assert persona.installs == 2
    assert [*PersonaInstall.objects.present().values_list("is_active")] == [(True,)]


@pytest.mark.contract("12.9")
def test_a_review_stays_and_cannot_be_changed_until_the_persona_is_installed_again(client, agent):
    persona = PersonaFactory(slug="archivist")
    review(agent, persona, 4)
    body = {"personaSlug": "archivist", "rating": 2}

    client.post(PERSONA, {"slug": "archivist"})
    refused = client.post("/api/v1/agents/me/reviews", body)

    persona.refresh_from_db()
    assert refused.status_code == 400
    assert refused.json() == {"error": "You must install this persona before reviewing it"}
    assert (persona.rating_count, persona.rating_sum) == (1, 4)
    client.post("/api/v1/agents/me/personas/install", {"slug": "archivist"})
    changed = client.post("/api/v1/agents/me/reviews", body)
    assert (changed.status_code, changed.json()["rating"]) == (200, 2)
