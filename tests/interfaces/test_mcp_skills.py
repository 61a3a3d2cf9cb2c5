"""Skills over MCP (SEP-2640): what is listed for whom, entries, and reading files"""

import base64
import hashlib
from unittest.mock import Mock
from urllib.parse import quote

import pytest
from django.db import OperationalError

from agents.models import AgentToken
from catalogue.models import Persona, Skill
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.mcp_calls import HELLO, modern, result, send

EXTENSION = "io.modelcontextprotocol/skills"
OWN = "skill://agent-marketplace/SKILL.md"
LONG = "a-" * 40 + "slug"
FILES = {
    "references/é #1.md": "\ufeff# Öne\r\n".encode(),
    "scripts/run.py": b"print(1)\n",
    "logo.png": b"\x89PNG\0",
    "page.html": b"<script>",
}


def digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def uris(listed):
    return [entry["uri"] for entry in listed["skills"]]


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf", title="PDF", description="Reads.", version="1.10", files=FILES)


@pytest.mark.contract("22.6")
def test_it_is_declared_to_clients_of_every_version(anyone):
    for capabilities in (
        result(anyone, "initialize", HELLO)["capabilities"],
        result(anyone, **modern("server/discover"))["capabilities"],
    ):
        assert capabilities["extensions"] == {EXTENSION: {}}
        assert "resources" in capabilities


@pytest.mark.contract("22.9", "22.17")
@pytest.mark.usefixtures("skill")
def test_without_a_token_the_marketplaces_own_skill_is_listed_alone(anyone):
    listed = result(anyone, "skills/list")

    [entry] = listed["skills"]
    text = anyone.get("/skill.md").content
    assert entry["uri"] == OWN
    assert entry["frontmatter"]["name"] == "agent-marketplace"
    assert entry["resources"] == [{"uri": OWN, "digest": digest(text), "size": len(text)}]
    assert listed.keys() == {"skills"}
    newer = result(anyone, **modern("skills/list"))
    assert newer["skills"] == listed["skills"]
    assert (newer["ttlMs"], newer["cacheScope"]) == (0, "public")


@pytest.mark.contract("22.9", "22.10")
def test_an_agent_is_listed_its_manifest_in_its_order(client, agent, skill):
    persona = PersonaFactory(skills=[SkillFactory(slug="z"), SkillFactory(slug="b")])
    PersonaInstallFactory(agent=agent, persona=persona, is_active=True)
    for installed in (skill, SkillFactory(slug="new"), SkillFactory(slug="gone")):
        SkillInstallFactory(agent=agent, skill=installed)
    Skill.objects.get(slug="gone").withdraw()
    SkillFactory(slug="not-mine")

    listed = result(client, **modern("skills/list"))

    assert uris(listed) == [
        OWN,
        *(f"skill://skills/{slug}/SKILL.md" for slug in ("b", "z", "new", "pdf")),
    ]
    assert (listed["ttlMs"], listed["cacheScope"]) == (0, "private")
    resources = result(client, "resources/list")["resources"]
    assert [resource["uri"] for resource in resources] == uris(listed)
    assert resources[4] == {
        "uri": "skill://skills/pdf/SKILL.md",
        "name": "pdf",
        "description": "Reads.",
        "mimeType": "text/markdown",
        "size": len(skill.file_text.encode()),
    }


@pytest.mark.contract("22.8")
def test_an_entry_has_the_whole_frontmatter_as_json(anyone):
    lines = "name: pdf\ndescription: Reads.\nhooks: {a: [1, 1.10, true, null, 'no', 2024-01-31]}"
    SkillFactory(slug="pdf", content=f"\ufeff---\r\n{lines}\r\n---\r\nRead.\r\n")

    got = result(anyone, **modern("skills/get", uri="skill://skills/pdf/SKILL.md"))

    assert got["skill"]["frontmatter"] == {
        "name": "pdf",
        "description": "Reads.",
        "hooks": {"a": [1, 1.1, True, None, "no", "2024-01-31"]},
    }


@pytest.mark.contract("22.8", "22.12", "22.17")
def test_an_entry_names_every_file_with_digest_and_size(anyone, skill):
    got = result(anyone, **modern("skills/get", uri="skill://skills/pdf/SKILL.md"))

    skill_md = skill.file_text.encode()
    assert (got["ttlMs"], got["cacheScope"]) == (0, "public")
    assert got["skill"] == {
        "uri": "skill://skills/pdf/SKILL.md",
        "frontmatter": {"name": "pdf", "description": "Reads."},
        "resources": [
            {"uri": f"skill://skills/pdf/{quote(path)}", "digest": digest(data), "size": len(data)}
            for path, data in [("SKILL.md", skill_md), *sorted(FILES.items())]
        ],
    }


@pytest.mark.contract("22.8", "22.18")
def test_a_read_file_is_what_its_entry_says(anyone, skill):
    [entry] = [result(anyone, "skills/get", {"uri": "skill://skills/pdf/SKILL.md"})["skill"]]

    for resource in entry["resources"]:
        [contents] = result(anyone, "resources/read", {"uri": resource["uri"]})["contents"]
        data = (
            contents["text"].encode()
            if "text" in contents
            else base64.b64decode(contents["blob"], validate=True)
        )
        assert contents["uri"] == resource["uri"]
        assert (digest(data), len(data)) == (resource["digest"], resource["size"])
    kinds = {
        path: result(anyone, "resources/read", {"uri": f"skill://skills/pdf/{quote(path)}"})[
            "contents"
        ][0]["mimeType"]
        for path in ["SKILL.md", *FILES]
    }
    assert kinds == {
        "SKILL.md": "text/markdown",
        "references/é #1.md": "text/plain",
        "scripts/run.py": "text/plain",
        "logo.png": "application/octet-stream",
        "page.html": "text/plain",
    }
    skill.refresh_from_db()
    assert skill.downloads == 0


@pytest.mark.contract("22.7", "22.8")
def test_a_long_slug_has_a_folder_of_its_name(anyone, db):
    SkillFactory(slug=LONG, files={"a.md": b"x"})
    name = LONG[:64].rstrip("-")
    uri = f"skill://skills/{LONG}/{name}/SKILL.md"

    entry = result(anyone, "skills/get", {"uri": uri})["skill"]

    assert (entry["uri"], entry["frontmatter"]["name"]) == (uri, name)
    [contents] = result(anyone, "resources/read", {"uri": uri.replace("SKILL.md", "a.md")})[
        "contents"
    ]
    assert contents["text"] == "x"
    for folder in (LONG, f"{LONG}/other"):
        other = f"skill://skills/{folder}/SKILL.md"
        assert send(anyone, "skills/get", {"uri": other}).json()["error"]["code"] == -32602


UNKNOWN = [
    *(
        "",
        "skill://",
        "skill:///",
        "https://a/SKILL.md",
        "skill://skills",
        "skill://skills/pdf",
    ),
    *("skill://skills/none/SKILL.md", "skill://skills/pdf/skill.md", "skill://pdf/SKILL.md"),
    *("skill://skills/pdf/SKILL.md?x", "skill://skills/pdf/SKILL.md#x", "SKILL.md"),
    *("skill://skills/pdf/./SKILL.md", "skill://skills/pdf//SKILL.md", "skill://skills/pdf/"),
    *("skill://skills/x/../pdf/SKILL.md", "skill://skills/pdf/scripts%2Frun.py"),
    *("skill://skills/pdf/%2e%2e/pdf/SKILL.md", "skill://skills/pdf/%FF", "skill://%00/%00"),
    *("skill://skills/pdf/pdf/SKILL.md", "SKILL://skills/pdf/SKILL.md"),
    *("skill://agent-marketplace/none", "skill://skills/agent-marketplace/SKILL.md"),
    *("skill://skills/pdf/scripts", "skill://skills/PDF/SKILL.md", "skill://skills/é/SKILL.md"),
]


@pytest.mark.contract("22.7", "22.12")
@pytest.mark.usefixtures("skill")
def test_an_unknown_uri_is_an_error_that_names_it(anyone, alone):
    for method in ["skills/get", "resources/read"]:
        for uri in UNKNOWN:
            with alone(f"{method} {uri}"):
                error = send(anyone, method, {"uri": uri}).json()["error"]

                assert error["code"] == -32602
                assert error["message"] == f"Unknown skill or file: {uri}"
                assert error["data"] == {"uri": uri}


@pytest.mark.contract("3.7")
def test_a_secret_in_a_uri_is_not_repeated(anyone, agent):
    answer = send(anyone, "skills/get", {"uri": f"skill://skills/{agent.token.text}/SKILL.md"})

    assert agent.token.text not in answer.content.decode()


@pytest.mark.contract("22.7")
@pytest.mark.usefixtures("skill")
def test_only_a_skill_md_names_a_skill(anyone):
    error = send(anyone, "skills/get", {"uri": "skill://skills/pdf/scripts/run.py"}).json()["error"]

    assert error["code"] == -32602


@pytest.mark.contract("22.12")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_an_unpublished_skill_is_unknown(anyone, skill, status):
    Skill.objects.update(status=status)

    for method in ("skills/get", "resources/read"):
        error = send(anyone, method, {"uri": "skill://skills/pdf/SKILL.md"}).json()["error"]
        assert error["code"] == -32602


@pytest.mark.contract("22.11")
@pytest.mark.parametrize("method", ["skills/list", "resources/list"])
def test_a_missing_scope_is_an_error_and_never_the_public_list(client_of, narrow, method):
    error = send(client_of(token=narrow.text), method).json()["error"]

    assert error == {"code": -32602, "message": "Insufficient permissions"}


@pytest.mark.contract("22.11")
def test_a_store_that_is_away_is_an_error_and_never_an_empty_list(client, monkeypatch):
    monkeypatch.setattr("installs.reads.manifest", Mock(side_effect=OperationalError("away")))

    error = send(client, "skills/list").json()["error"]

    sentence = "Service temporarily unavailable. Try again in a few seconds."
    assert (error["code"], error["message"]) == (-32603, sentence)


@pytest.fixture
def narrow():
    return AgentToken.objects.issue(AgentFactory(), ["install"])


@pytest.mark.contract("22.10")
def test_there_is_one_template(anyone):
    [template] = result(anyone, "resources/templates/list")["resourceTemplates"]

    assert template["uriTemplate"] == "skill://skills/{slug}/{+path}"


@pytest.mark.contract("22.6")
def test_a_directory_is_not_read(anyone):
    error = send(anyone, "resources/directory/read", {"uri": "skill://skills/pdf"}).json()["error"]

    assert error["code"] == -32601


@pytest.mark.contract("22.12")
def test_reading_activates_and_installs_nothing(client, agent, skill):
    persona = PersonaFactory(skills=[skill])
    result(client, "resources/read", {"uri": "skill://skills/pdf/SKILL.md"})

    assert not agent.skill_installs.exists()
    assert Persona.objects.get(pk=persona.pk).installs == 0


@pytest.mark.contract("22.8")
def test_a_key_in_quotes_is_a_name_in_json(client, agent):
    content = '---\nname: odd\ndescription: Odd.\nmetadata:\n  "a b": "c"\n---\nDo it.'
    SkillInstallFactory(agent=agent, skill=SkillFactory(slug="odd", content=content))

    _, entry = result(client, "skills/list")["skills"]

    assert entry["frontmatter"]["metadata"] == {"a b": "c"}
