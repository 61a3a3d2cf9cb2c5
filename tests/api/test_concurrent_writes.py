"""A write that waits for a lock answers by what is true once it has the lock.

The request is sent while another transaction holds the rows, and that transaction is committed
once the request is seen to wait. tests/system/test_races.py sends many at the same time.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from agents.models import Agent
from catalogue.models import Persona, Skill, Status
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
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
UNINSTALL_PERSONA = "/api/v1/agents/me/personas/uninstall"
ACTIVATE = "/api/v1/agents/me/personas/activate"
REVIEW = "/api/v1/agents/me/reviews"
UNAUTHORISED = {"error": "Authentication required"}


@pytest.fixture
def post_during(transactional_db, client):
    """POST while `change`, which locks what the request needs, is still uncommitted."""

    def post(url, body):
        try:
            return client.post(url, body)
        finally:
            connection.close()

    def post_during(change, url, body):
        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                change()
                response = pool.submit(post, url, body)
                wait_until_somebody_waits()
            return response.result()

    return post_during


def wait_until_somebody_waits():
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    pytest.fail("The request did not wait for the lock.")


def sibling(agent, write, *args, **options):
    """A write of the same agent, which holds the agent's lock until it is committed."""
    return lambda: write(Agent.objects.get(pk=agent.pk), *args, **options)


def test_a_skill_that_the_agent_installs_concurrently_is_a_conflict(post_during, agent):
    SkillFactory(slug="pdf-tables")
    install = sibling(agent, SkillInstall.objects.install, "pdf-tables")

    response = post_during(install, INSTALL_SKILL, {"slug": "pdf-tables"})

    assert response.status_code == 409
    assert response.json() == {"error": "Skill already installed"}
    assert SkillInstall.objects.count() == Skill.objects.get().downloads == 1


def test_a_persona_that_the_agent_installs_concurrently_is_a_conflict(post_during, agent):
    PersonaFactory(slug="archivist")
    install = sibling(agent, PersonaInstall.objects.install, "archivist")

    body = {"slug": "archivist", "setActive": True}
    response = post_during(install, INSTALL_PERSONA, body)

    assert response.status_code == 409
    assert response.json() == {"error": "Persona already installed"}
    assert not PersonaInstall.objects.get().is_active
    assert Persona.objects.get().installs == 1


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


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (INSTALL_SKILL, {"slug": "wanted"}),
        (INSTALL_PERSONA, {"slug": "wanted"}),
        (REVIEW, {"personaSlug": "wanted", "rating": 5}),
    ],
    ids=["skill", "persona", "review"],
)
def test_an_agent_that_is_suspended_concurrently_is_refused(post_during, agent, url, body):
    SkillFactory(slug="wanted")
    persona = PersonaFactory(slug="wanted")
    if url == REVIEW:
        PersonaInstallFactory(agent=agent, persona=persona)

    response = post_during(sibling(agent, Agent.suspend), url, body)

    assert response.status_code == 401
    assert response.json() == UNAUTHORISED
    assert not SkillInstall.objects.exists()
    assert not Review.objects.exists()
    assert Skill.objects.get().downloads == Persona.objects.get().installs == 0


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


def test_a_persona_that_is_uninstalled_concurrently_is_not_found(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    uninstall = sibling(agent, PersonaInstall.objects.uninstall, "archivist")

    response = post_during(uninstall, UNINSTALL_PERSONA, {"slug": "archivist"})

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not installed"}


def test_a_persona_that_is_uninstalled_concurrently_is_not_activated(post_during, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    uninstall = sibling(agent, PersonaInstall.objects.uninstall, "archivist")

    response = post_during(uninstall, ACTIVATE, {"slug": "archivist"})

    assert response.status_code in {200, 404}
    assert not PersonaInstall.objects.filter(is_active=True).exists()


def test_a_persona_that_is_withdrawn_concurrently_is_not_activated(post_during, agent):
    persona = PersonaInstallFactory(agent=agent, persona__slug="archivist").persona
    personas = Persona.objects.filter(pk=persona.pk)

    response = post_during(
        lambda: personas.update(status=Status.WITHDRAWN), ACTIVATE, {"slug": "archivist"}
    )

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not found"}
    assert not PersonaInstall.objects.filter(is_active=True).exists()


def test_of_two_personas_activated_concurrently_the_later_is_active(post_during, agent):
    for slug in ("scribe", "archivist"):
        PersonaInstallFactory(agent=agent, persona__slug=slug)
    activate = sibling(agent, PersonaInstall.objects.set_active, "scribe", activate=True)

    response = post_during(activate, ACTIVATE, {"slug": "archivist"})

    assert response.status_code == 200
    active = PersonaInstall.objects.filter(is_active=True)
    assert [*active.values_list("persona__slug", flat=True)] == ["archivist"]
