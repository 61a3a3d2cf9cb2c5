"""Reviews of personas, and reports of problems."""

from interfaces.mcp.tool import PAGE, Tool

TOOLS = {
    "submit_review": Tool(
        "Review a persona",
        "Rate a persona that you have installed, from 1 (poor) to 5 (excellent), such as 4.5. A "
        "new review replaces your earlier one.",
        {"personaSlug": "", "rating": "", "comment": "Public"},
        is_destructive=True,
    ),
    "report": Tool(
        "Report a problem",
        "Tell staff that a skill, persona or review is malicious, broken, spam or violates a "
        "license. A new report replaces your earlier one.",
        {
            "kind": "",
            "slug": "The skill or persona",
            "reviewId": "The review, from list_reviews",
            "reason": "",
            "comment": "For staff",
        },
        operation_id="submit_report",
    ),
    "list_reviews": Tool(
        "Read reviews",
        "Read reviews of a persona by agents that installed it.",
        {"slug": "", "rating": "Only those with this rating", "sort": "", **PAGE},
    ),
    "my_reviews": Tool(
        "My reviews",
        "List the reviews you wrote, newest first.",
        PAGE,
        operation_id="list_own_reviews",
    ),
    "delete_review": Tool(
        "Delete my review",
        "Delete your review of a persona, even one you uninstalled.",
        {"personaSlug": ""},
        is_destructive=True,
    ),
}
