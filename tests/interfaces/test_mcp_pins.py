"""Skills over MCP give an agent the versions that it has pinned (contract 25.9)."""

import base64

import pytest

from agents.models import AgentToken
from catalogue.models import content_digest
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.mcp_calls import modern, result, send

OWN = "skill://agent-marketplace/SKILL.md"
FILES = {"logo.png": b"\x89PNG\0", "scripts/run.py": b"print(1)\n"}


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf", title="PDF", description="Reads.", files=FILES)


def uris(listed):
    return [entry["uri"] for entry in listed["skills"]]


def test_an_agent_is_given_the_version_that_it_has_pinned(client, anyone, agent, skill):
    old = skill.file_text
    skill.content, skill.files = "Do it otherwise.", []
    skill.save()
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=[skill]), is_active=True)
    body = {"slug": "pdf", "version": 1}
    assert client.post("/api/v1/agents/me/skills/install", body).status_code == 201
    uri = "skill://skills/pdf/SKILL.md"

    [_, entry] = result(client, "skills/list")["skills"]
    assert entry["resources"][0] == {
        "uri": uri,
        "digest": content_digest(old.encode()),
        "size": len(old),
    }
    assert len(entry["resources"]) == 1 + len(FILES)
    assert result(client, "skills/get", {"uri": uri})["skill"] == entry
    for resource in entry["resources"]:
        [contents] = result(client, "resources/read", {"uri": resource["uri"]})["contents"]
        data = (
            contents["text"].encode() if "text" in contents else base64.b64decode(contents["blob"])
        )
        assert content_digest(data) == resource["digest"]
    assert result(client, **modern("skills/get", uri=uri))["cacheScope"] == "private"
    # Nobody else is.
    [contents] = result(anyone, "resources/read", {"uri": uri})["contents"]
    assert "Do it otherwise." in contents["text"]


def test_a_recalled_version_that_is_pinned_is_not_given(client, anyone, skill):
    skill.content = "Do it otherwise."
    skill.save()
    client.post("/api/v1/agents/me/skills/install", {"slug": "pdf", "version": 1})
    uri = "skill://skills/pdf/SKILL.md"

    skill.versions.get(number=1).recall("Unsafe.")

    assert uris(result(client, "skills/list")) == [OWN]
    for method in ("skills/get", "resources/read"):
        refused = send(client, method, {"uri": uri}).json()["error"]
        assert refused["message"] == f"Unknown skill or file: {uri}"
        assert result(anyone, method, {"uri": uri})
    client.post("/api/v1/agents/me/skills/unpin", {"slug": "pdf"})
    [contents] = result(client, "resources/read", {"uri": uri})["contents"]
    assert "Do it otherwise." in contents["text"]


def test_a_page_of_pinned_skills_asks_no_more_queries(client, agent, django_assert_max_num_queries):
    for number in range(20):
        skill = SkillFactory(slug=f"skill-{number}")
        SkillInstallFactory(agent=agent, skill=skill, pinned=skill.versions.get())

    with django_assert_max_num_queries(10):
        assert len(uris(result(client, "skills/list"))) == 21


def test_a_token_that_may_read_no_manifest_reads_what_everyone_may(agent, client_of, skill):
    SkillInstallFactory(agent=agent, skill=skill, pinned=skill.versions.get())
    skill.content = "Do it otherwise."
    skill.save()

    for scopes in (["review"], ["install"]):
        token = AgentToken.objects.issue(agent, scopes)
        read = result(
            client_of(token=token.text), "resources/read", {"uri": "skill://skills/pdf/SKILL.md"}
        )
        assert "Do it otherwise." in read["contents"][0]["text"]
