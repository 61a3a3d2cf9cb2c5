"""Proposing skills and personas to the staff. Absent with SUBMISSIONS=off."""

from interfaces.mcp.tool import PAGE, Tool

TOOLS = {
    "submit_skill": Tool(
        "Submit a skill",
        "Propose a skill, or a better text for one: staff publish or reject it. POST more than "
        "64 KiB as a zip (`application/zip`) to /api/v1/agents/me/submissions.",
        {
            "content": "The whole SKILL.md",
            "files": "",
            "baseNumber": "The version you changed",
            "note": "",
        },
        operation_id="submit",
        fixed={"kind": "skill"},
    ),
    "submit_persona": Tool(
        "Submit a persona",
        "Propose a free persona, or a better prompt for one. POST more than 64 KiB to "
        "/api/v1/agents/me/submissions.",
        {"content": "The prompt, with its frontmatter", "baseNumber": "", "note": ""},
        operation_id="submit",
        fixed={"kind": "persona"},
    ),
    "my_submissions": Tool(
        "My submissions",
        "List your submissions, newest first, with `state` and the `reason` of a rejection.",
        {"state": "", **PAGE},
        operation_id="list_submissions",
    ),
    "withdraw_submission": Tool(
        "Withdraw a submission",
        "Take back a pending submission.",
        {"submissionId": ""},
        is_destructive=True,
    ),
}
