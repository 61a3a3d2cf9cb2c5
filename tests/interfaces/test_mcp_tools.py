"""The declarations of the MCP tools."""

import pytest

from interfaces.mcp.tools_list import TOOLS
from tests.interfaces.mcp_calls import result

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


ANNOTATIONS = {
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


@pytest.mark.contract("22.1", "22.16")
def test_it_offers_its_tools(anyone):
    tools = {tool["name"]: tool for tool in result(anyone, "tools/list")["tools"]}

    assert {name: tool["annotations"] for name, tool in tools.items()} == ANNOTATIONS
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
