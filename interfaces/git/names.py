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


EVERYTHING = "everything"  # the plugin of me.git that has all that the others have


def plugin_name(kind, slug, taken):
    """The name of an entry's plugin. A persona's plugin cannot have a slug that is in `taken`."""
    return shortened(free_name(kind, slug, taken) if kind == "persona" else slug)


def own_plugin_name(kind, slug, taken):
    """The same in me.git, where no entry has the name of EVERYTHING."""
    if slug == EVERYTHING:
        return free_name(kind, slug, {slug, *taken})
    return plugin_name(kind, slug, taken)


def free_name(kind, slug, taken):
    """The slug, or the first name after it that is not `taken`."""
    name, number = slug, 0
    while name in taken:
        number += 1
        name = f"{slug}-{kind}" if number == 1 else f"{slug}-{kind}-{number}"
    return name


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
