"""Names of plugins and marketplaces (contract 27.5)."""

from hashlib import sha256

from catalogue.skill_md import MAX_NAME

# Claude Code 2.1 adds no marketplace of these names, unless it is one of Anthropic's.
RESERVED = {
    *("agent-skills", "anthropic-agent-skills", "anthropic-marketplace", "anthropic-plugins"),
    *("builtin", "claude-code-marketplace", "claude-code-plugins", "claude-for-financial-services"),
    *("claude-for-legal", "claude-plugin-test", "claude-plugins-official", "claude-tag-plugins"),
    *("financial-services-plugins", "first-party-plugins", "inline", "knowledge-work-plugins"),
    *("life-sciences", "skills-dir", "synced"),
}


def plugin_name(kind, slug, taken):
    """The name of an entry's plugin. A persona's plugin cannot have a slug that is in `taken`."""
    if kind == "skill" or slug not in taken:
        return shortened(slug)
    name, number = f"{slug}-persona", 1
    while name in taken:
        number += 1
        name = f"{slug}-persona-{number}"
    return shortened(name)


def persona_marketplace(name, slug):
    """The name of a persona's marketplace. It is never `<name>-me`, which me.git has."""
    title = f"{name}-{slug}"
    return shortened(f"{title}-{short_digest(title)}" if slug == "me" else title)


def shortened(name):
    """The name, if clients accept it. A longer one is cut, and ends in a part of its digest."""
    if len(name) <= MAX_NAME:
        return name
    digest = short_digest(name)
    return f"{name[: MAX_NAME - 1 - len(digest)].rstrip('-')}-{digest}"


def short_digest(name):
    return sha256(name.encode()).hexdigest()[:6]
