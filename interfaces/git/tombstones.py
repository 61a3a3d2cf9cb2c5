"""The text in place of an entry that must no longer be used (contract 34.2).

Nothing in it is the entry's, apart from its slug.
"""

import json

from catalogue.skill_md import plain


def headline(reason):
    """The description of a tombstone."""
    return plain(f"RECALLED: {reason}")


def text_of(kind, name, reason, successor, command):
    """The SKILL.md or agent file of a tombstone, as bytes. `command` uninstalls it."""
    instead = f"Use `{successor}` instead." if successor else "There is no replacement."
    fields = quoted_lines({"name": name, "description": headline(reason)})
    order = f"Do not use this {kind}. Uninstall it: {command}. {instead}"
    return f"---\n{fields}---\n\n{reason.strip()}\n\n{order}\n".encode()


def quoted_lines(fields):
    return "".join(
        f"{name}: {json.dumps(text, ensure_ascii=False)}\n" for name, text in fields.items()
    )


def command_of_plugin(name, marketplace):
    plugin = f"{name}@{marketplace}"
    return (
        f"`claude plugin uninstall {plugin}`, `codex plugin remove {plugin}` or "
        f"`copilot plugin uninstall {plugin}`"
    )


def command_of_tool(kind, slug):
    """For those who have it in the plugin `everything`."""
    return f"call the marketplace's tool `uninstall_{kind}` with `{slug}`"


def command_of_skill(name):
    """For those who have its own repository."""
    return f"`npx skills remove {name} -y`"
