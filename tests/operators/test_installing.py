"""An operator installs skills and personas, and activates a persona (contract 19.6)"""

import pytest

from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

HOME = "/operator/agents/caller"
MANIFEST = "/api/v1/agents/me/manifest"
GONE = {
    "skill": "No published skill has this slug.",
    "persona": "No published persona has this slug.",
}
KINDS = pytest.mark.parametrize("kind", GONE)


def make(kind, **values):
    return (SkillFactory if kind == "skill" else PersonaFactory)(slug="added", **values)


def install(console, kind, **fields):
    return console.submit(f"{HOME}/install-{kind}", **fields)


def active(client):
    persona = client.get(MANIFEST).json()["activePersona"]
    return persona and persona["slug"]


@pytest.mark.contract("19.6")
@KINDS
def test_the_agent_has_it_and_it_counts(console, client, kind):
    entry = make(kind)

    assert install(console, kind, slug="added").status_code == 302

    own = client.get(f"/api/v1/agents/me/{kind}s").json()["results"]
    assert [(row["slug"], row["pinned"]) for row in own] == [("added", False)]
    entry.refresh_from_db()
    assert getattr(entry, entry.POPULARITY) == 1


@KINDS
def test_installing_an_unpublished_entry_is_refused(console, kind, apart):
    (SkillFactory if kind == "skill" else PersonaFactory)(slug="draft", status="draft")

    for slug in ["unknown", "draft", "No Slug", "x" * 101, "a\0b", ""]:
        with apart(slug):
            page = install(console, kind, slug=slug)

            assert page.status_code == 400
            assert 'class="error"' in page.content.decode()
            assert not SkillInstall.objects.exists()
            assert not PersonaInstall.objects.exists()


@KINDS
def test_the_refusal_says_why(console, agent, kind):
    assert GONE[kind] in install(console, kind, slug="added").content.decode()
    factory = SkillInstallFactory if kind == "skill" else PersonaInstallFactory
    factory(agent=agent, **{f"{kind}__slug": "added"})
    before = agent.history.count()

    page = install(console, kind, slug="added")

    assert page.status_code == 400
    assert f"The agent already has this {kind}." in page.content.decode()
    assert agent.history.count() == before


def test_a_priced_persona_is_refused(console):
    make("persona", price_cents=500)

    page = install(console, "persona", slug="added")

    assert page.status_code == 400
    assert "This persona is not free, so it cannot be installed." in page.content.decode()


@pytest.mark.contract("19.6")
@KINDS
@pytest.mark.parametrize("state", ["paused", "suspended"])
def test_a_stopped_agent_gets_nothing_new(console, agent, kind, state):
    make(kind)
    agent.pause() if state == "paused" else agent.suspend()

    page = install(console, kind, slug="added")

    assert page.status_code == 400
    assert (
        f"The agent is {state}. Only an active agent can get something new."
        in page.content.decode()
    )


def test_a_secret_is_not_written_back(console, agent):
    text = install(console, "skill", slug=agent.token.text).content.decode()

    assert "No published skill has this slug." in text
    assert agent.token.text not in text


def test_a_persona_is_installed_as_the_active_one(console, client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=True)
    make("persona")

    install(console, "persona", slug="added", activate="on")

    assert active(client) == "added"


@pytest.mark.contract("19.6")
def test_an_installed_persona_is_activated_in_place_of_the_other(console, client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=True)
    PersonaInstallFactory(agent=agent, persona__slug="scribe")
    text = console.get(HOME).content.decode()
    assert f"{HOME}/activate-persona/scribe" in text
    assert f"{HOME}/activate-persona/archivist" not in text

    console.submit(f"{HOME}/activate-persona/scribe")

    assert active(client) == "scribe"


def test_a_persona_of_a_paused_agent_is_activated_too(console, agent):
    install = PersonaInstallFactory(agent=agent, persona__slug="scribe")
    agent.pause()

    console.submit(f"{HOME}/activate-persona/scribe")

    install.refresh_from_db()
    assert install.is_active


def test_only_an_installed_published_persona_can_be_activated(console, agent):
    PersonaInstallFactory(agent=agent, persona__slug="gone").persona.withdraw()
    PersonaFactory(slug="other")

    for slug in ("gone", "other", "unknown"):
        assert console.get(f"{HOME}/activate-persona/{slug}").status_code == 404
