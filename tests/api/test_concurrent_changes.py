"""Uninstalling, switching and updating while another write of the same rows is uncommitted."""

import pytest

from agents.models import Agent
from catalogue.models import Persona, Status
from installs.models import PersonaInstall
from tests.api.concurrency import sibling
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillInstallFactory

INSTALL = "/api/v1/agents/me/personas/install"
ACTIVATE = "/api/v1/agents/me/personas/activate"
UPDATE = "/api/v1/agents/me/personas/update"


both_kinds = pytest.mark.parametrize(
    ("kind", "installed"), [("skill", SkillInstallFactory), ("persona", PersonaInstallFactory)]
)


@pytest.mark.contract("4.11")
@pytest.mark.parametrize(("slug", "stop"), [("present", Agent.suspend), ("absent", Agent.pause)])
@pytest.mark.parametrize(
    "write",
    [
        *("skills/uninstall", "skills/update", "personas/uninstall", "personas/update"),
        *("personas/activate", "personas/deactivate"),
    ],
)
def test_an_agent_that_is_stopped_concurrently_changes_nothing(
    post_during, agent, write, stop, slug
):
    old = {"agent": agent, "installed_digest": "sha256:" + "0" * 64}
    skill = SkillInstallFactory(**old, skill__slug="present")
    persona = PersonaInstallFactory(
        **old, persona__slug="present", is_active=write != "personas/activate"
    )
    before = [vars(row).copy() for row in (skill, persona)]

    response = post_during(sibling(agent, stop), f"/api/v1/agents/me/{write}", {"slug": slug})

    assert response.status_code == 401
    assert response.json() == {"error": "Authentication required"}
    for row, values in zip((skill, persona), before, strict=True):
        row.refresh_from_db()
        columns = [field.attname for field in row._meta.concrete_fields]
        assert [getattr(row, name) for name in columns] == [values[name] for name in columns]


@pytest.mark.contract("12.10")
@both_kinds
def test_an_entry_uninstalled_concurrently_is_not_found(post_during, agent, kind, installed):
    installed(agent=agent, **{f"{kind}__slug": "wanted"})
    uninstall = sibling(agent, installed._meta.model.objects.uninstall, "wanted")

    response = post_during(uninstall, f"/api/v1/agents/me/{kind}s/uninstall", {"slug": "wanted"})

    assert response.status_code == 404
    assert response.json() == {"error": f"{kind.title()} not installed"}


@both_kinds
def test_an_install_during_an_uninstall_is_as_if_it_came_first(post_during, agent, kind, installed):
    install = installed(agent=agent, **{f"{kind}__slug": "wanted"})
    uninstall = sibling(agent, type(install).objects.uninstall, "wanted")

    response = post_during(uninstall, f"/api/v1/agents/me/{kind}s/install", {"slug": "wanted"})

    assert response.status_code == 409
    assert response.json() == {"error": f"{kind.title()} already installed"}
    assert [*type(install).objects.all()] == [install]
    assert not type(install).objects.present().exists()


def test_a_persona_that_is_uninstalled_concurrently_is_not_activated(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    uninstall = sibling(agent, PersonaInstall.objects.uninstall, "archivist")

    response = post_during(uninstall, ACTIVATE, {"slug": "archivist"})

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not installed"}
    assert not PersonaInstall.objects.filter(is_active=True).exists()


@pytest.mark.contract("12.10")
def test_a_persona_that_is_withdrawn_concurrently_is_not_activated(post_during, agent):
    persona = PersonaInstallFactory(agent=agent, persona__slug="archivist").persona
    personas = Persona.objects.filter(pk=persona.pk)

    response = post_during(
        lambda: personas.update(status=Status.WITHDRAWN), ACTIVATE, {"slug": "archivist"}
    )

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not found"}
    assert not PersonaInstall.objects.filter(is_active=True).exists()


@pytest.mark.contract("12.10")
def test_the_later_of_two_concurrent_activations_is_active(post_during, agent):
    for slug in ("scribe", "archivist"):
        PersonaInstallFactory(agent=agent, persona__slug=slug)
    activate = sibling(agent, PersonaInstall.objects.activate, "scribe")

    response = post_during(activate, ACTIVATE, {"slug": "archivist"})

    assert response.status_code == 200
    active = PersonaInstall.objects.filter(is_active=True)
    assert [*active.values_list("persona__slug", flat=True)] == ["archivist"]


def test_a_persona_activated_during_an_install_that_activates_is_the_active_one(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe")
    PersonaFactory(slug="archivist")
    install = sibling(agent, PersonaInstall.objects.install, "archivist", activate=True)

    response = post_during(install, ACTIVATE, {"slug": "scribe"})

    assert response.status_code == 200
    active = PersonaInstall.objects.filter(is_active=True)
    assert [*active.values_list("persona__slug", flat=True)] == ["scribe"]


def test_a_persona_installed_during_an_activation_is_the_active_one(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe")
    PersonaFactory(slug="archivist")
    activate = sibling(agent, PersonaInstall.objects.activate, "scribe")

    response = post_during(activate, INSTALL, {"slug": "archivist", "setActive": True})

    assert response.status_code == 201
    active = PersonaInstall.objects.filter(is_active=True)
    assert [*active.values_list("persona__slug", flat=True)] == ["archivist"]


def test_a_persona_that_is_uninstalled_concurrently_is_not_updated(post_during, agent):
    PersonaInstallFactory(
        agent=agent, persona__slug="archivist", installed_digest="sha256:" + "0" * 64
    )
    uninstall = sibling(agent, PersonaInstall.objects.uninstall, "archivist")

    response = post_during(uninstall, UPDATE, {"slug": "archivist"})

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not installed"}
    assert PersonaInstall.objects.get().installed_digest == "sha256:" + "0" * 64


@both_kinds
@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DRAFT])
def test_an_entry_withdrawn_concurrently_is_not_updated(
    post_during, agent, kind, installed, status
):
    old = {"installed_digest": "sha256:" + "0" * 64}
    install = installed(agent=agent, **old, **{f"{kind}__slug": "wanted"})
    entry = getattr(install, kind)
    entries = type(entry).objects.filter(pk=entry.pk)

    url = f"/api/v1/agents/me/{kind}s/update"
    response = post_during(lambda: entries.update(status=status), url, {"slug": "wanted"})

    assert response.status_code == 404
    assert response.json() == {"error": f"{kind.title()} not found"}
    install.refresh_from_db()
    assert install.installed_digest == old["installed_digest"]


def test_an_update_gets_the_text_that_is_edited_concurrently(post_during, agent):
    persona = PersonaInstallFactory(agent=agent, persona__slug="archivist").persona
    before = persona.digest
    personas = Persona.objects.filter(pk=persona.pk)

    response = post_during(
        lambda: personas.update(content="Another."), UPDATE, {"slug": "archivist"}
    )

    assert response.status_code == 200
    assert response.json()["previousDigest"] == before
    assert response.json()["digest"] == personas.get().digest != before
    assert PersonaInstall.objects.get().installed_digest == personas.get().digest
