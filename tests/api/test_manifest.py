"""GET /api/v1/agents/me/manifest (contract 13.3)."""

import pytest

from catalogue.models import Status
from installs import sql
from marketplace.api.fields import timestamp
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

URL = "/api/v1/agents/me/manifest"
EMPTY = {
    "activePersona": None,
    "skills": [],
    "contextTokens": 0,
    "advisories": [],
    "truncated": False,
}


def row_of(entry, digest, **more):
    return {
        "slug": entry.slug,
        "title": entry.title,
        "version": entry.version,
        "digest": entry.digest,
        "number": entry.versions.count(),
        "pinned": False,
        "latest": {
            "number": entry.versions.count(),
            "version": entry.version,
            "digest": entry.digest,
        },
        "installedDigest": digest,
        "updateAvailable": digest not in {None, entry.digest},
        "content": entry.content,
        "contextTokens": entry.context_tokens,
        "deprecation": None,
        **more,
    }


def skill_of(skill, digest, *via):
    more = {"skillId": skill.public_id, "description": skill.description, "files": []}
    return row_of(skill, digest, via=list(via), **more)


def changed(entry, content):
    entry.content = content
    entry.save()
    entry.refresh_from_db()


def slugs(client):
    return [skill["slug"] for skill in client.get(URL).json()["skills"]]


@pytest.mark.contract("13.3")
def test_a_new_agent_loads_nothing(client):
    response = client.get(URL)

    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-cache"
    assert response.json() == EMPTY


@pytest.mark.contract("13.3", "13.4", "13.5", "13.6", "13.7")
def test_it_holds_the_active_persona_its_skills_and_the_agents_own(client, agent):
    bundled, both, first, last = (
        SkillFactory(slug=slug, version="1.0") for slug in ("b", "a", "x", "m")
    )
    persona = PersonaFactory(skills=[bundled, both, SkillFactory(status="draft")])
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=[SkillFactory()]))
    for skill in (first, both, last):
        SkillInstallFactory(agent=agent, skill=skill)
    SkillInstallFactory(agent=AgentFactory())
    before, kept = both.digest, persona.digest
    changed(both, "Do it differently now.")
    changed(persona, "You are someone else.")

    assert client.get(URL).json() == {
        "activePersona": row_of(
            persona, kept, personaId=persona.public_id, frontmatter=None, tools=None
        ),
        "skills": [
            skill_of(both, before, "install", "persona"),
            skill_of(bundled, None, "persona"),
            skill_of(last, last.digest, "install"),
            skill_of(first, first.digest, "install"),
        ],
        "contextTokens": 6 + 6 + 3 * 2,
        "advisories": [],
        "truncated": False,
    }


@pytest.mark.contract("13.10")
def test_an_active_persona_that_has_got_a_price_keeps_its_text(client, agent):
    PersonaInstallFactory(
        agent=agent, is_active=True, persona__price_cents=500, persona__content="Tidy."
    )

    assert client.get(URL).json()["activePersona"]["content"] == "Tidy."


@pytest.mark.contract("13.12")
@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DRAFT])
def test_advisories_name_withdrawn_entries(client, agent, status):
    skill = SkillInstallFactory(agent=agent).skill
    persona = PersonaInstallFactory(
        agent=agent, is_active=True, persona__skills=[SkillFactory(), SkillFactory()]
    ).persona
    for entry in (skill, persona):
        entry.recall("Broken") if status == Status.WITHDRAWN else entry.redraft()

    reason = "Broken" if status == Status.WITHDRAWN else ""
    advisories = [
        {
            "kind": entry._meta.model_name,
            "slug": entry.slug,
            "title": entry.title,
            "number": None,
            "reason": reason,
            "withdrawnAt": timestamp(entry.withdrawn_at or entry.updated_at),
        }
        for entry in (persona, skill)
    ]
    assert client.get(URL).json() == {**EMPTY, "advisories": advisories}
    assert client.get("/api/v1/agents/me").json()["advisories"] == advisories


@pytest.mark.contract("8.17", "13.13")
def test_a_bundled_skill_is_told_of_when_it_is_withdrawn_but_not_as_a_draft(client, agent):
    skills = SkillFactory.create_batch(2)
    PersonaInstallFactory(agent=agent, is_active=True, persona__skills=skills)
    skills[0].withdraw()
    skills[1].redraft()

    body = client.get(URL).json()

    assert body["skills"] == []
    assert [(row["slug"], row["reason"]) for row in body["advisories"]] == [(skills[0].slug, "")]


@pytest.mark.contract("13.5")
def test_it_leaves_out_what_is_uninstalled_or_inactive(client, agent):
    install = SkillInstallFactory(agent=agent)
    PersonaInstallFactory(
        agent=agent, is_active=True, persona__slug="scribe", persona__skills=[SkillFactory()]
    )
    client.post("/api/v1/agents/me/skills/uninstall", {"slug": install.skill.slug})
    client.post("/api/v1/agents/me/personas/deactivate", {"slug": "scribe"})

    assert client.get(URL).json() == EMPTY


@pytest.mark.contract("13.9")
def test_without_content_the_texts_are_null_and_all_else_the_same(client, agent):
    SkillInstallFactory.create_batch(2, agent=agent)
    PersonaInstallFactory(agent=agent, is_active=True)
    whole = client.get(URL).json()

    listed = client.get(f"{URL}?content=false").json()

    for row in (whole["activePersona"], *whole["skills"]):
        row["content"] = None
    assert listed == whole
    assert client.get(f"{URL}?content=true").json() != whole


@pytest.mark.contract("13.9")
@pytest.mark.parametrize("query", ["content=", "content=1", "content=False", "content=true&" * 2])
def test_another_value_is_refused(client, query):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert response.json() == {"error": "content must be true or false"}


def texts(client, query=""):
    body = client.get(f"{URL}{query}").json()
    return [row["content"] for row in body["skills"]], body["truncated"]


@pytest.mark.contract("13.8")
def test_it_has_the_texts_of_two_hundred_skills(client, agent):
    PersonaInstallFactory(agent=agent, is_active=True)
    for more, skills, is_truncated in ((200, 200, False), (1, 201, True)):
        SkillInstallFactory.create_batch(more, agent=agent)

        assert texts(client) == (["Do it."] * 200 + [None] * (skills - 200), is_truncated)
        assert texts(client, "?content=false") == ([None] * skills, False)
        assert client.get(URL).json()["contextTokens"] == 2 * (skills + 1)


@pytest.mark.contract("13.8")
def test_it_has_eight_mebibytes_of_texts(client, agent):
    assert sql.MAX_BYTES == 8 * 2**20
    # Two bytes each in UTF-8.
    sizes = {"first": 1_000_000, "second": 1_000_000, "persona": 2_194_304}
    text = {name: "é" * size for name, size in sizes.items()}
    PersonaInstallFactory(agent=agent, is_active=True, persona__content=text["persona"])
    for name in ("second", "first"):
        SkillInstallFactory(agent=agent, skill__content=text[name])
    assert texts(client) == ([text["first"], text["second"]], False)

    SkillInstallFactory(agent=agent, skill__content="")
    assert texts(client) == (["", text["first"], text["second"]], False)
    last = SkillInstallFactory(agent=agent, skill__content="x")
    assert texts(client) == (["x", "", text["first"], None], True)

    changed(last.skill, text["first"] + text["second"])
    contents, is_truncated = texts(client)
    assert [content and len(content) for content in contents] == [2_000_000, "", None, None]
    assert is_truncated


@pytest.mark.contract("13.11")
def test_an_unchanged_manifest_is_not_sent_again(client, agent):
    SkillInstallFactory(agent=agent)
    first = client.get(URL)

    again = client.get(URL, headers={"If-None-Match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert (again["ETag"], again["Cache-Control"]) == (first["ETag"], "private, no-cache")
    other = client.get(f"{URL}?content=false", headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200


CHANGES = ["content", "title", "withdraw", "uninstall", "install", "update"]


@pytest.mark.contract("13.11")
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_sent(client, agent, change):
    skill = SkillInstallFactory(
        agent=agent, skill__slug="pdf", installed_digest="sha256:" + "0" * 64
    ).skill
    SkillFactory(slug="csv")
    etag = client.get(URL)["ETag"]

    if change == "withdraw":
        skill.withdraw()
    elif change in {"content", "title"}:
        setattr(skill, change, "Another.")
        skill.save()
    else:
        slug = "csv" if change == "install" else "pdf"
        response = client.post(f"/api/v1/agents/me/skills/{change}", {"slug": slug})
        assert response.status_code < 300

    assert client.get(URL, headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.contract("13.6")
def test_two_agents_with_the_same_have_the_same_order(client_of, agent):
    skills = [SkillFactory(slug=slug) for slug in ("b-2", "b", "b-10", "a")]
    persona = PersonaFactory(skills=skills)
    agents = [agent, AgentFactory()]
    for row in agents:
        PersonaInstallFactory(agent=row, persona=persona, is_active=True)

    assert [slugs(client_of(agent)) for agent in agents] == [["a", "b", "b-10", "b-2"]] * 2


@pytest.mark.contract("13.12")
def test_an_advisory_alone_is_a_change(client, agent):
    persona = PersonaInstallFactory(agent=agent).persona
    etag = client.get(URL)["ETag"]
    persona.recall("Broken")

    response = client.get(URL, headers={"If-None-Match": etag})

    assert response.status_code == 200
    assert [row["reason"] for row in response.json()["advisories"]] == ["Broken"]
