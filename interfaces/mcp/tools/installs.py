"""Installing, switching, updating, pinning and uninstalling."""

from catalogue.models import Kind
from interfaces.mcp.tool import PAGE, Tool

NEWEST = "A `number` of list_versions, to pin. By default, the newest"
PINNED = "A `number` of list_versions. By default, the one you use"

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
}
for kind in Kind.values:
    TOOLS[f"pin_{kind}"] = Tool(
        f"Pin a {kind}",
        f"Keep an installed {kind} at the version you tested, whatever is published later.",
        {"slug": "", "version": PINNED},
    )
    TOOLS[f"unpin_{kind}"] = Tool(
        f"Unpin a {kind}", f"Let a pinned {kind} follow its newest version again.", {"slug": ""}
    )
for kind in Kind.values:
    TOOLS[f"my_{kind}s"] = Tool(
        f"My {kind}s",
        f"List the {kind}s you have installed, newest first, with versions, pins and available "
        "updates.",
        PAGE,
        operation_id=f"list_own_{kind}s",
    )
