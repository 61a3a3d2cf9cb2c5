"""Installing, switching, updating, pinning and uninstalling."""

from interfaces.mcp.tool import PAGE, Tool

NEWEST = "A `number` of list_versions, to pin. By default, the newest"
PINNED = "A `number` of list_versions. By default, the one you use"
ROWS = "newest first, with versions, pins and available updates."

TOOLS = {
    "install_skill": Tool(
        "Install a skill",
        "Install a skill: it joins your manifest, and you are told if it is recalled. Returns the "
        "`url` of its text. A persona's skills come with the persona.",
        {"slug": "", "runtime": "Where you use it, in your own words", "version": NEWEST},
    ),
    "install_persona": Tool(
        "Install a persona",
        "Install a free persona with its skills, and switch to it with `setActive`. Returns the "
        "`url` of its prompt.",
        {"slug": "", "setActive": "Make it your one active persona", "version": NEWEST},
    ),
    "uninstall_skill": Tool(
        "Uninstall a skill",
        "Uninstall a skill, for example one that your `advisories` list.",
        {"slug": ""},
        is_destructive=True,
    ),
    "uninstall_persona": Tool(
        "Uninstall a persona",
        "Uninstall a persona, active or not. Your review of it stays.",
        {"slug": ""},
        is_destructive=True,
    ),
    "activate_persona": Tool(
        "Switch to a persona",
        "Switch to a persona that you have installed. It replaces the active one.",
        {"slug": ""},
    ),
    "deactivate_persona": Tool(
        "Deactivate a persona",
        "Stop using your active persona. It stays installed.",
        {"slug": ""},
    ),
    "update_skill": Tool(
        "Update a skill",
        "Switch an installed skill to its newest text, or pin another `version`. Read it first.",
        {"slug": "", "version": NEWEST},
    ),
    "update_persona": Tool(
        "Update a persona",
        "Switch an installed persona to its newest prompt, or pin another `version`. Read it "
        "first.",
        {"slug": "", "version": NEWEST},
    ),
    "pin_skill": Tool(
        "Pin a skill",
        "Keep an installed skill at the version you tested, whatever is published later.",
        {"slug": "", "version": PINNED},
    ),
    "unpin_skill": Tool(
        "Unpin a skill", "Let a pinned skill follow its newest version again.", {"slug": ""}
    ),
    "pin_persona": Tool(
        "Pin a persona",
        "Keep an installed persona at the version you tested, whatever is published later.",
        {"slug": "", "version": PINNED},
    ),
    "unpin_persona": Tool(
        "Unpin a persona", "Let a pinned persona follow its newest version again.", {"slug": ""}
    ),
    "my_skills": Tool(
        "My skills",
        f"List the skills you have installed, {ROWS}",
        PAGE,
        operation_id="list_own_skills",
    ),
    "my_personas": Tool(
        "My personas",
        f"List the personas you have installed, {ROWS}",
        PAGE,
        operation_id="list_own_personas",
    ),
}
