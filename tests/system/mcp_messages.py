"""Valid MCP messages, for the versions with `initialize` and for the one without."""

import json

from tests.registry import CODE
from tests.system.operations import (
    FULL,
    PERSONAS,
    SKILLS,
    SPARE,
    SUBMISSION_IDS,
    SUBMITTED,
    HttpOperation,
    request,
)

MCP = HttpOperation("POST", "/mcp", is_protected=True)
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
SKILL_MD, [FILES] = SUBMITTED["content"][0], SUBMITTED["files"]
CALLS = {
    "search_skills": {"query": "does one thing", "runtime": "python", "limit": 2},
    "get_skill": {"slug": SKILLS[0]},
    "list_skill_files": {"slug": SKILLS[1]},
    "get_skill_file": {"slug": SKILLS[1], "path": "references/é #1.md", "version": 1},
    "list_versions": {"kind": "persona", "slug": PERSONAS[1], "limit": 1},
    "search_personas": {"category": "development"},
    "get_persona": {"slug": PERSONAS[1], "version": 1},
    "register_agent": {"name": "Ünïcödé", "runtime": "python"},
    "install_skill": {"slug": SKILLS[1], "runtime": "python"},
    "install_persona": {"slug": PERSONAS[5], "setActive": True},
    "submit_review": {"personaSlug": PERSONAS[1], "rating": 4.5, "comment": "Tidy."},
    "list_reviews": {"slug": PERSONAS[1], "rating": 5, "sort": "highest"},
    "list_facets": {"kind": "skill"},
    "list_changes": {"kind": "persona", "limit": 2},
    "report": {"kind": "skill", "slug": SKILLS[2], "reason": "broken", "comment": "Gone."},
    "my_reviews": {"limit": 1},
    "delete_review": {"personaSlug": PERSONAS[1]},
    "confirm_claim": {"code": CODE},
    "my_profile": {},
    "my_manifest": {"content": False},
    "my_limits": {},
    "my_skills": {"limit": 1},
    "my_personas": {},
    "update_skill": {"slug": SKILLS[0]},
    "pin_skill": {"slug": SKILLS[0], "version": 1},
    "unpin_skill": {"slug": SKILLS[0]},
    "uninstall_skill": {"slug": SKILLS[0]},
    "update_persona": {"slug": PERSONAS[1], "version": 1},
    "pin_persona": {"slug": PERSONAS[1]},
    "unpin_persona": {"slug": PERSONAS[1]},
    "activate_persona": {"slug": PERSONAS[1]},
    "deactivate_persona": {"slug": PERSONAS[1]},
    "uninstall_persona": {"slug": PERSONAS[2]},
    "list_tokens": {},
    "create_token": {"name": "laptop", "scopes": ["read"], "expiresInDays": 1},
    "rotate_token": {"graceSeconds": 600},
    "revoke_token": {"tokenId": "token_1", "token": None},
    "submit_skill": {"content": SKILL_MD, "files": FILES, "baseNumber": 1, "note": "Try it."},
    "submit_persona": {"content": SKILL_MD},
    "my_submissions": {"state": "pending", "limit": 1},
    "withdraw_submission": {"submissionId": SUBMISSION_IDS[0]},
}
MESSAGES = [
    ("initialize", HELLO),
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1}),
    ("ping", {}),
    ("tools/list", {}),
    ("server/discover", {}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("prompts/list", {}),
    ("prompts/get", {"name": PERSONAS[1]}),
    ("skills/list", {}),
    ("skills/list", {"cursor": "100"}),
    ("skills/get", {"uri": f"skill://skills/{SKILLS[1]}/SKILL.md"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "skill://agent-marketplace/SKILL.md"}),
    ("resources/read", {"uri": f"skill://skills/{SKILLS[1]}/data.bin"}),
    ("resources/read", {"uri": f"skill://skills/{SKILLS[1]}/references/%C3%A9%20%231.md"}),
    *(("tools/call", {"name": name, "arguments": given}) for name, given in CALLS.items()),
]


def valid_message(rng):
    """A message that the protocol answers, as a Request."""
    method, params = rng.choice(MESSAGES)
    message = {"jsonrpc": "2.0", "id": rng.choice([0, 1, "one"]), "method": method}
    if method.startswith("notifications/"):
        del message["id"]
    headers = [("Accept", "application/json, text/event-stream")]
    if rng.random() < 0.5:
        params = {**params, "_meta": MODERN}
        headers += [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]
        # For the methods of the protocol itself.
        if not method.startswith("skills/"):
            headers += [("Mcp-Name", params[key]) for key in ("name", "uri") if key in params]
    body = json.dumps({**message, "params": params}).encode()
    callers = SPARE if params.get("name") == "rotate_token" else FULL
    valid = request(MCP, body=body, token=rng.choice(callers))
    valid.headers += headers
    return valid
