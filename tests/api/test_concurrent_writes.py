"""A write that waits for a lock decides by the state after it has the lock.

The request is sent while another transaction holds the rows. That transaction commits once the
request is waiting. tests/system/test_races.py sends many requests at the same time.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from agents.models import Agent
from catalogue.models import Persona, Skill, Status
from installs.models import PersonaInstall, SkillInstall
from operators.deleting import delete
from reviews.models import Review
from tests.api.concurrency import sibling, wait_until_they_wait
from tests.api.installed import installed_persona_text, installed_skill_text
from tests.api.versioned_kinds import Kind
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

INSTALL_SKILL = "/api/v1/agents/me/skills/install"
INSTALL_PERSONA = "/api/v1/agents/me/personas/install"
REVIEW = "/api/v1/agents/me/reviews"
UNAUTHORISED = {"error": "Authentication required"}


@pytest.mark.contract("9.10")
def test_a_skill_that_the_agent_installs_concurrently_is_a_conflict(post_during, agent):
    SkillFactory(slug="pdf-tables")
    install = sibling(agent, SkillInstall.objects.install, "pdf-tables")

    response = post_during(install, INSTALL_SKILL, {"slug": "pdf-tables"})

    assert response.status_code == 409
    assert response.json() == {"error": "Skill already installed"}
    assert SkillInstall.objects.count() == Skill.objects.get().downloads == 1


@pytest.mark.contract("9.10")
def test_a_persona_that_the_agent_installs_concurrently_is_a_conflict(post_during, agent):
    PersonaFactory(slug="archivist")
    install = sibling(agent, PersonaInstall.objects.install, "archivist")

    body = {"slug": "archivist", "setActive": True}
    response = post_during(install, INSTALL_PERSONA, body)

    assert response.status_code == 409
    assert response.json() == {"error": "Persona already installed"}
    assert not PersonaInstall.objects.get().is_active
    assert Persona.objects.get().installs == 1


@pytest.mark.contract("9.6")
def test_a_persona_that_is_activated_concurrently_is_deactivated(post_during, agent):
    PersonaFactory(slug="archivist")
    PersonaFactory(slug="other")
    activate = sibling(agent, PersonaInstall.objects.install, "other", activate=True)

    body = {"slug": "archivist", "setActive": True}
    response = post_during(activate, INSTALL_PERSONA, body)

    assert response.status_code == 201
    assert response.json()["isActive"] is True
    active = PersonaInstall.objects.filter(is_active=True)
    assert [install.persona.slug for install in active] == ["archivist"]


@pytest.mark.contract("4.11", "9.10", "19.22")
@pytest.mark.parametrize("stop", [Agent.suspend, delete])
@pytest.mark.parametrize(
    ("url", "body"),
    [
        (INSTALL_SKILL, {"slug": "wanted"}),
        (INSTALL_PERSONA, {"slug": "wanted"}),
        (REVIEW, {"personaSlug": "wanted", "rating": 5}),
    ],
    ids=["skill", "persona", "review"],
)
def test_an_agent_that_is_stopped_concurrently_is_refused(post_during, agent, url, body, stop):
    SkillFactory(slug="wanted")
    persona = PersonaFactory(slug="wanted")
    if url == REVIEW:
        PersonaInstallFactory(agent=agent, persona=persona)

    response = post_during(sibling(agent, stop), url, body)

    assert response.status_code == 401
    assert response.json() == UNAUTHORISED
    assert not SkillInstall.objects.exists()
    assert not Review.objects.exists()
    assert Skill.objects.get().downloads == Persona.objects.get().installs == 0


@pytest.mark.contract("4.11")
def test_an_install_that_waits_while_its_token_is_revoked_is_carried_out(post_during, agent):
    skill = SkillFactory(slug="pdf-tables")

    def revoke(known):
        Agent.objects.select_for_update(no_key=True).get(pk=known.pk)
        agent.token.revoke()

    response = post_during(sibling(agent, revoke), INSTALL_SKILL, {"slug": "pdf-tables"})

    assert response.status_code == 201
    assert response.json() == {
        "message": "Skill installed",
        "skillId": skill.public_id,
        "slug": "pdf-tables",
        **installed_skill_text(skill),
    }


@pytest.mark.contract("9.10")
@pytest.mark.parametrize("factory", [SkillInstallFactory, PersonaInstallFactory])
@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DRAFT])
def test_an_entry_that_is_withdrawn_concurrently_is_not_found(post_during, factory, status):
    kind = "skill" if factory is SkillInstallFactory else "persona"
    entry = getattr(factory(**{f"{kind}__slug": "wanted", "agent": AgentFactory()}), kind)
    entries = type(entry).objects.filter(pk=entry.pk)

    url = f"/api/v1/agents/me/{kind}s/install"
    response = post_during(lambda: entries.update(status=status), url, {"slug": "wanted"})

    assert response.status_code == 404
    assert response.json() == {"error": f"{kind.title()} not found"}
    assert factory._meta.model.objects.count() == 1
    assert getattr(entries.get(), "downloads" if kind == "skill" else "installs") == 0


@pytest.mark.parametrize("name", ["skill", "persona"])
def test_a_version_that_is_recalled_concurrently_is_not_found(post_during, name):
    kind = Kind(name)
    version = kind.entry.versions.get(number=1)

    url = f"/api/v1/agents/me/{name}s/install"
    response = post_during(
        lambda: version.recall("Unsafe."), url, {"slug": kind.slug, "version": 1}
    )

    assert response.status_code == 404
    assert response.json() == {"error": "Version not found"}
    assert not kind.Install.objects.exists()


@pytest.mark.contract("9.10")
def test_a_persona_that_gets_a_price_concurrently_requires_payment(post_during):
    persona = PersonaFactory(slug="archivist")
    personas = Persona.objects.filter(pk=persona.pk)

    body = {"slug": "archivist"}
    response = post_during(lambda: personas.update(price_cents=1), INSTALL_PERSONA, body)

    assert response.status_code == 402
    assert response.json() == {
        "error": "This persona requires payment. Agent API currently supports free personas only."
    }
    assert not PersonaInstall.objects.exists()
    assert personas.get().installs == 0


@pytest.mark.contract("10.2")
def test_a_first_review_that_is_written_concurrently_is_replaced(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    write = sibling(agent, Review.objects.submit, "archivist", rating=1, comment="Not yet.")

    response = post_during(write, REVIEW, {"personaSlug": "archivist", "rating": 4})

    assert response.status_code == 200
    assert response.json()["message"] == "Review updated"
    stored, persona = Review.objects.get(), Persona.objects.get()
    assert (stored.rating, stored.comment) == (4, "")
    assert (persona.rating_sum, persona.rating_count) == (4, 1)


def test_a_change_of_a_review_that_is_hidden_concurrently_is_not_counted(post_during, agent):
    install = PersonaInstallFactory(agent=agent, persona__slug="archivist")
    review(agent, install.persona, 2)

    hide = Review.objects.get().hide
    response = post_during(
        lambda: hide("Advertising."), REVIEW, {"personaSlug": "archivist", "rating": 4}
    )

    assert response.status_code == 200
    stored, persona = Review.objects.get(), Persona.objects.get()
    assert (stored.rating, stored.hiding_reason) == (4, "Advertising.")
    assert (persona.rating_sum, persona.rating_count, persona.rating_avg) == (0, 0, None)


def test_a_review_that_is_changed_concurrently_is_counted_from_the_change(post_during, agent):
    install = PersonaInstallFactory(agent=agent, persona__slug="archivist")
    review(agent, install.persona, 2)
    change = sibling(agent, Review.objects.submit, "archivist", rating=1)

    response = post_during(change, REVIEW, {"personaSlug": "archivist", "rating": 4})

    assert response.status_code == 200
    persona = Persona.objects.get()
    assert (persona.rating_sum, persona.rating_count) == (4, 1)


@pytest.mark.parametrize("kind", ["skill", "persona"])
def test_those_who_wait_for_an_entry_are_woken_one_at_a_time(transactional_db, kind):
    """Queued on its row, all would wake at each commit, and some deadlock with edited bundles."""
    factory = {"skill": SkillFactory, "persona": PersonaFactory}[kind]
    entry = factory(slug="wanted", title="Before")
    installs = {"skill": SkillInstall, "persona": PersonaInstall}[kind].objects
    agents = AgentFactory.create_batch(4)
    installs.install(agents[3], "wanted")

    def write(agent):
        try:
            if agent == agents[3]:
                installs.update_own(agent, "wanted")
            else:
                installs.install(agent, "wanted")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        with transaction.atomic():
            factory._meta.model.objects.filter(pk=entry.pk).update(title="After")
            writing = [pool.submit(write, agent) for agent in agents]
            wait_until_they_wait(4)
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT wait_event FROM pg_stat_activity "
                    "WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY 1"
                )
                waits = [wait for (wait,) in cursor.fetchall()]
        assert [future.result() for future in writing] == [None] * 4

    assert waits == ["advisory"] * 3 + ["transactionid"]
    assert not factory._meta.model.objects.miscounted().exists()


def test_an_install_that_a_deadlock_ends_is_run_again(transactional_db, client, agent):
    persona = PersonaFactory(slug="archivist")

    def install():
        try:
            return client.post(INSTALL_PERSONA, {"slug": "archivist"})
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            # PostgreSQL ends the install, after a second.
            cursor.execute("SET LOCAL deadlock_timeout = '20s'")
            Persona.objects.filter(pk=persona.pk).update(title="Edited")
            installing = pool.submit(install)
            wait_until_they_wait(1)
            Agent.objects.filter(pk=agent.pk).update(name="Edited")
        response = installing.result()

    assert response.status_code == 201
    assert response.json() == {
        "message": "Persona installed",
        "personaId": persona.public_id,
        "slug": "archivist",
        "isActive": False,
        **installed_persona_text(persona),
    }
    assert Persona.objects.get().installs == PersonaInstall.objects.count() == 1
