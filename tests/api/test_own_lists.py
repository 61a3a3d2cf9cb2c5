"""GET /api/v1/agents/me/skills and /personas (contract 13.1)."""

import pytest

from marketplace.api.fields import timestamp
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

SKILLS, PERSONAS = "/api/v1/agents/me/skills", "/api/v1/agents/me/personas"
FACTORIES = {SKILLS: SkillInstallFactory, PERSONAS: PersonaInstallFactory}


def entry_of(install):
    return install.skill if hasattr(install, "skill") else install.persona


@pytest.mark.contract("13.1")
def test_a_skill_is_shown_with_its_install(client, agent):
    skill = SkillFactory(slug="pdf", title="PDF", version="1.10")
    install = SkillInstallFactory(agent=agent, skill=skill, runtime="python")

    response = client.get(SKILLS)

    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    row = {
        "skillId": skill.public_id,
        "slug": "pdf",
        "title": "PDF",
        "runtime": "python",
        "installedAt": timestamp(install.installed_at),
        "version": "1.10",
        "digest": skill.digest,
        "number": 1,
        "pinned": False,
        "latest": {"number": 1, "version": "1.10", "digest": skill.digest},
        "installedDigest": skill.digest,
        "updateAvailable": False,
        "withdrawnAt": None,
        "deprecation": None,
    }
    assert response.json() == {"results": [row], "count": 1, "next": None, "previous": None}


@pytest.mark.contract("13.1")
def test_a_persona_is_shown_with_its_install(client, agent):
    bundled = [SkillFactory(slug=slug) for slug in ("pdf", "csv")]
    persona = PersonaFactory(slug="archivist", skills=[*bundled, SkillFactory(status="draft")])
    install = PersonaInstallFactory(agent=agent, persona=persona, is_active=True)

    row = {
        "personaId": persona.public_id,
        "slug": "archivist",
        "title": persona.title,
        "isActive": True,
        "installedAt": timestamp(install.installed_at),
        "skills": ["csv", "pdf"],
        "version": "",
        "digest": persona.digest,
        "number": 1,
        "pinned": False,
        "latest": {"number": 1, "version": "", "digest": persona.digest},
        "installedDigest": persona.digest,
        "updateAvailable": False,
        "withdrawnAt": None,
        "deprecation": None,
    }
    assert client.get(PERSONAS).json()["results"] == [row]


@pytest.mark.contract("13.1")
@pytest.mark.parametrize("url", FACTORIES)
def test_all_that_the_agent_has_is_listed_the_newest_first(client, agent, url):
    installs = FACTORIES[url].create_batch(5, agent=agent)
    FACTORIES[url](agent=AgentFactory())
    client.post(f"{url}/uninstall", {"slug": entry_of(installs[1]).slug})
    expected = [entry_of(installs[n]).slug for n in (4, 3, 2, 0)]

    pages, link = [], f"{url}?limit=3"
    while link:
        pages.append(client.get(link).json())
        link = pages[-1]["next"]

    assert [[row["slug"] for row in page["results"]] for page in pages] == [
        expected[:3],
        expected[3:],
    ]
    assert [page["count"] for page in pages] == [4, 4]
    assert client.get(pages[1]["previous"]).json()["results"] == pages[0]["results"]


@pytest.mark.contract("13.1")
@pytest.mark.parametrize("url", FACTORIES)
def test_an_agent_without_installs_has_an_empty_list(client, url):
    expected = {"results": [], "count": 0, "next": None, "previous": None}

    assert client.get(url).json() == expected


@pytest.mark.contract("16.5")
@pytest.mark.parametrize("url", FACTORIES)
def test_a_changed_text_is_an_available_update(client, agent, url):
    install = FACTORIES[url](agent=agent)
    entry = entry_of(install)
    entry.content = "Do it better."
    entry.save()

    [row] = client.get(url).json()["results"]

    assert row["installedDigest"] == install.installed_digest
    assert row["digest"] not in {"", install.installed_digest}
    assert row["updateAvailable"] is True


@pytest.mark.contract("16.7")
@pytest.mark.parametrize("url", FACTORIES)
def test_a_withdrawn_entry_is_listed_without_an_update(client, agent, url):
    entry = entry_of(FACTORIES[url](agent=agent))
    entry.content = "Do it better."
    entry.save()
    entry.recall("Broken")

    [row] = client.get(url).json()["results"]

    assert (row["withdrawnAt"], row["updateAvailable"]) == (timestamp(entry.withdrawn_at), False)


@pytest.mark.contract("2.9")
@pytest.mark.parametrize("url", FACTORIES)
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("limit=0", "limit must be a whole number from 1 to 100"),
        ("limit=1&limit=2", "limit must be given at most once"),
        ("cursor=x", "cursor is invalid"),
        ("sort=newest", "Unknown query parameter 'sort'. Allowed: cursor, limit"),
    ],
)
def test_an_unusable_query_is_refused(client, url, query, error):
    response = client.get(f"{url}?{query}")

    assert response.status_code == 400
    assert response.json() == {"error": error}


@pytest.mark.contract("1.9")
def test_a_cursor_is_bound_to_its_agent(client, client_of, agent):
    other = AgentFactory()
    for owner in (agent, other):
        SkillInstallFactory.create_batch(2, agent=owner)
    link = client.get(f"{SKILLS}?limit=1").json()["next"]

    response = client_of(other).get(link)

    assert response.status_code == 400
    assert response.json() == {"error": "cursor is invalid"}
