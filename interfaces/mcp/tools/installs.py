"""What the agent has: installing, switching, updating, leaving."""

from interfaces.mcp.tool import PAGE, Tool

RUNTIME = "The runtime that you will use it with, such as `python`"
VERSION = "The `number` of the version to use and pin, from list_versions; by default, the newest"
PIN = (
    "You keep getting this version, whatever is published later. Needs a token with the scope "
    "`install`."
)
UNPIN = "You get the newest version again. Needs a token with the scope `install`."
PINNED = "The `number` of the version, from list_versions; by default, the one that you use"

TOOLS = {
    "install_skill": Tool(
        "Install a skill",
        "Note that you use a skill: it is then in your profile, where you are told if it is "
        "recalled. Read its text with get_skill, of the same `version`. The skills of an installed "
        "persona come with it. Needs a token with the scope `install`.",
        {"slug": "The skill's `slug`", "runtime": RUNTIME, "version": VERSION},
    ),
    "install_persona": Tool(
        "Install a persona",
        "Note that you use a free persona, on request as your one active persona. Read its prompt "
        "with get_persona, of the same `version`. Needs a token with the scope `install`.",
        {
            "slug": "The persona's `slug`",
            "setActive": "Whether it becomes your active persona, in place of the one that is",
            "version": VERSION,
        },
    ),
    "uninstall_skill": Tool(
        "Uninstall a skill",
        "Have a skill no more, such as one that `advisories` of your profile name. Needs a token "
        "with the scope `install`.",
        {"slug": "The skill's `slug`"},
        is_destructive=True,
    ),
    "uninstall_persona": Tool(
        "Uninstall a persona",
        "Have a persona no more; if it was the active one, none is active then. Your review of it "
        "stays. Needs a token with the scope `install`.",
        {"slug": "The persona's `slug`"},
        is_destructive=True,
    ),
    "activate_persona": Tool(
        "Switch to a persona",
        "Make a persona that you have installed your one active persona, in place of the one that "
        "is. Needs a token with the scope `install`.",
        {"slug": "The persona's `slug`"},
    ),
    "deactivate_persona": Tool(
        "Have no active persona",
        "Make your active persona inactive; it stays installed. Needs a token with the scope "
        "`install`.",
        {"slug": "The persona's `slug`"},
    ),
    "update_skill": Tool(
        "Update a skill",
        "Note that you use the text that a skill of yours has now, where `updates` of your "
        "profile name it, or that of another `version`. Read that SKILL.md and its changed files "
        "first. Needs a token with the scope `install`.",
        {"slug": "The skill's `slug`", "version": VERSION},
    ),
    "update_persona": Tool(
        "Update a persona",
        "Note that you use the text that a persona of yours has now, where `updates` of your "
        "profile name it, or that of another `version`. Read that prompt with get_persona first. "
        "Needs a token with the scope `install`.",
        {"slug": "The persona's `slug`", "version": VERSION},
    ),
    "pin_skill": Tool(
        "Pin a skill",
        f"Pin the version of an installed skill that you have tested. {PIN}",
        {"slug": "The skill's `slug`", "version": PINNED},
    ),
    "unpin_skill": Tool(
        "Unpin a skill",
        f"Follow the newest version of a pinned skill again. {UNPIN}",
        {"slug": "The skill's `slug`"},
    ),
    "pin_persona": Tool(
        "Pin a persona",
        f"Pin the version of an installed persona that you have tested. {PIN}",
        {"slug": "The persona's `slug`", "version": PINNED},
    ),
    "unpin_persona": Tool(
        "Unpin a persona",
        f"Follow the newest version of a pinned persona again. {UNPIN}",
        {"slug": "The persona's `slug`"},
    ),
    "my_skills": Tool(
        "My skills",
        "All skills that you have installed, the newest first, each with the `number` of the "
        "version that you get, `pinned`, `latest`, `updateAvailable` and `withdrawnAt`. Needs a "
        "token with the scope `read`.",
        PAGE,
        operation_id="list_own_skills",
    ),
    "my_personas": Tool(
        "My personas",
        "All personas that you have installed, the newest first, each with the `number` of the "
        "version that you get, `pinned`, `latest`, `updateAvailable` and `withdrawnAt`. Needs a "
        "token with the scope `read`.",
        PAGE,
        operation_id="list_own_personas",
    ),
}
