"""The tools of MCP: what they declare, and those that write."""

import pytest

from interfaces.mcp.tools_list import TOOLS
from tests.api.installed import installed_persona_text, installed_skill_text
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory, review
from tests.interfaces.mcp_calls import call, refusal, result, send, success

READS, WRITES = {"readOnlyHint": True}, {"destructiveHint": False}
DESTROYS = {"destructiveHint": True}
TEXT = {"type": "string"}
KIND = {"type": "string", "enum": ["skill", "persona"]}
VERSION = {"type": "integer"}
FILES = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["path", "content"],
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "content": TEXT,
            "encoding": {"type": "string", "enum": ["base64"]},
            "executable": {"type": "boolean"},
        },
    },
}
PAGE = {
    "limit": {"type": "integer", "maximum": 100},
    "cursor": TEXT,
}


@pytest.mark.contract("22.1", "22.16")
def test_it_offers_its_tools(anyone):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    assert {name: tool["annotations"] for name, tool in tools.items()} == {
        "search_skills": READS,
        "get_skill": READS,
        "list_skill_files": READS,
        "get_skill_file": READS,
        "list_versions": READS,
        "search_personas": READS,
        "get_persona": READS,
        "list_facets": READS,
        "list_changes": READS,
        "register_agent": WRITES,
        "install_skill": WRITES,
        "install_persona": WRITES,
        "uninstall_skill": DESTROYS,
        "uninstall_persona": DESTROYS,
        "activate_persona": WRITES,
        "deactivate_persona": WRITES,
        "update_skill": WRITES,
        "update_persona": WRITES,
        "pin_skill": WRITES,
        "unpin_skill": WRITES,
        "pin_persona": WRITES,
        "unpin_persona": WRITES,
        "confirm_claim": WRITES,
        "submit_review": DESTROYS,
        "my_profile": READS,
        "my_manifest": READS,
        "my_limits": READS,
        "report": WRITES,
        "list_reviews": READS,
        "my_reviews": READS,
        "delete_review": DESTROYS,
        "list_tokens": READS,
        "create_token": WRITES,
        "rotate_token": DESTROYS,
        "revoke_token": DESTROYS,
        "my_skills": READS,
        "my_personas": READS,
        "submit_skill": WRITES,
        "submit_persona": WRITES,
        "my_submissions": READS,
        "withdraw_submission": DESTROYS,
    }
    assert all(tool["title"] and tool["description"] for tool in tools.values())


ARGUMENTS = [
    (
        "search_skills",
        [],
        {
            "query": TEXT,
            "category": TEXT,
            "tag": {"type": "array", "items": TEXT},
            "runtime": TEXT,
            "author": TEXT,
            "license": TEXT,
            "bundledIn": TEXT,
            "sort": {
                "type": "string",
                "enum": ["relevance", "downloads", "newest", "updated", "name"],
            },
            **PAGE,
        },
    ),
    ("my_personas", [], PAGE),
    ("list_facets", ["kind"], {"kind": KIND}),
    (
        "list_changes",
        [],
        {"since": TEXT, "kind": KIND, "limit": PAGE["limit"]},
    ),
    (
        "report",
        ["kind", "reason"],
        {
            "kind": {"type": "string", "enum": ["skill", "persona", "review"]},
            "slug": TEXT,
            "reviewId": TEXT,
            "reason": {
                "type": "string",
                "enum": ["malicious", "broken", "spam", "license", "other"],
            },
            "comment": TEXT,
        },
    ),
    (
        "create_token",
        [],
        {
            "name": TEXT,
            "scopes": {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": ["read", "install", "review", "clone", "submit"],
                },
            },
            "expiresInDays": {"type": "integer", "maximum": 365},
        },
    ),
    ("my_manifest", [], {"content": {"type": "boolean"}}),
    ("list_versions", ["kind", "slug"], {"kind": KIND, "slug": TEXT, **PAGE}),
    ("get_skill", ["slug"], {"slug": TEXT, "version": VERSION}),
    ("get_persona", ["slug"], {"slug": TEXT, "version": VERSION}),
    ("get_skill_file", ["slug", "path"], {"slug": TEXT, "path": TEXT, "version": VERSION}),
    (
        "register_agent",
        [],
        {
            "name": TEXT,
            "description": TEXT,
            "runtime": TEXT,
            "handle": TEXT,
            "invitation": TEXT,
        },
    ),
    (
        "install_skill",
        ["slug"],
        {
            "slug": TEXT,
            "runtime": TEXT,
            "version": VERSION,
        },
    ),
    (
        "install_persona",
        ["slug"],
        {
            "slug": TEXT,
            "setActive": {"type": "boolean"},
            "version": VERSION,
        },
    ),
    (
        "submit_review",
        ["rating", "personaSlug"],
        {
            "rating": {"type": "number", "maximum": 5},
            "personaSlug": TEXT,
            "comment": TEXT,
        },
    ),
    ("confirm_claim", ["code"], {"code": TEXT}),
    (
        "submit_skill",
        ["content"],
        {"content": TEXT, "files": FILES, "baseNumber": VERSION, "note": TEXT},
    ),
    (
        "submit_persona",
        ["content"],
        {"content": TEXT, "baseNumber": VERSION, "note": TEXT},
    ),
    ("my_profile", [], {}),
]


def test_a_tool_declares_its_arguments(anyone, subtests):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    for tool, required, properties in ARGUMENTS:
        with subtests.test(tool):
            schema = tools[tool]["inputSchema"]

            for declared in schema["properties"].values():
                declared.pop("description", None)
            assert schema.pop("required", []) == required
            assert schema == {"type": "object", "properties": properties}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_describes_the_arguments_of_its_operation_and_no_other(name):
    tool = TOOLS[name]

    assert tool.schema["properties"].keys() == tool.descriptions.keys()


def test_install_skill_returns_its_text(client, agent):
    skill = SkillFactory(slug="wanted")

    outcome = call(client, "install_skill", slug="wanted", runtime="python")

    assert outcome == success(
        {
            "message": "Skill installed",
            "skillId": skill.public_id,
            "slug": "wanted",
            **installed_skill_text(skill),
        }
    )
    skill.refresh_from_db()
    assert skill.downloads == 1
    assert agent.skill_installs.get().runtime == "python"


def test_it_installs_a_persona_as_the_active_one(client, agent):
    persona = PersonaFactory(slug="scribe")

    outcome = call(client, "install_persona", slug="scribe", setActive=True)

    assert outcome == success(
        {
            "message": "Persona installed",
            "personaId": persona.public_id,
            "slug": "scribe",
            "isActive": True,
            **installed_persona_text(persona),
        }
    )
    assert agent.persona_installs.get().is_active


def test_it_submits_a_review_and_replaces_it(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe")

    first = call(client, "submit_review", personaSlug="scribe", rating=2, comment="Slow.")
    second = call(client, "submit_review", personaSlug="scribe", rating=4.5)

    given = first["structuredContent"]
    assert first == success(
        {
            "message": "Review submitted",
            "reviewId": given["reviewId"],
            "personaSlug": "scribe",
            "rating": 2,
            "comment": "Slow.",
            "createdAt": given["createdAt"],
            "updatedAt": given["updatedAt"],
        }
    )
    assert second == success(
        {
            **given,
            "message": "Review updated",
            "rating": 4.5,
            "comment": "",
            "updatedAt": second["structuredContent"]["updatedAt"],
        }
    )


def test_it_registers_an_agent_whose_token_works(anyone, client_of):
    registered = call(anyone, "register_agent", name="Walker", handle="walker", runtime="python")

    given = registered["structuredContent"]
    assert registered == success(given)
    assert (given["handle"], given["name"], given["runtime"]) == ("walker", "Walker", "python")
    assert client_of(token=given["token"]).get("/api/v1/agents/me").json()["handle"] == "walker"


def test_it_makes_replaces_and_revokes_tokens(client, client_of):
    made = call(client, "create_token", name="helper", scopes=["read"])["structuredContent"]
    helper = client_of(token=made["token"])
    rotated = call(helper, "rotate_token")["structuredContent"]
    listed = call(client, "list_tokens")["structuredContent"]["results"]

    assert send(helper, "ping").status_code == 401
    assert [(row["tokenId"], row["name"]) for row in listed] == [
        (rotated["tokenId"], "helper"),
        (listed[1]["tokenId"], ""),
    ]
    revoked = call(client, "revoke_token", tokenId=rotated["tokenId"])
    assert revoked == success({"message": "Token revoked", "tokenId": rotated["tokenId"]})


def test_anyone_revokes_a_token_that_has_leaked(anyone, agent, client):
    revoked = call(anyone, "revoke_token", token=agent.token.text)

    assert revoked == success({"message": "If the token existed, it is revoked"})
    assert client.get("/api/v1/agents/me").status_code == 401


@pytest.mark.parametrize("arguments", [{}, {"tokenId": "token_x", "token": "x"}])
def test_a_token_is_revoked_by_one_of_two(client, arguments):
    assert call(client, "revoke_token", **arguments) == refusal(
        "Either tokenId or token is required"
    )


def test_it_deletes_a_review(client, agent):
    written = review(agent, PersonaFactory(slug="scribe"), 4)

    deleted = call(client, "delete_review", personaSlug="scribe")

    assert deleted == success(
        {"message": "Review deleted", "reviewId": written.public_id, "personaSlug": "scribe"}
    )
    assert call(client, "delete_review", personaSlug="scribe") == refusal("Review not found")
