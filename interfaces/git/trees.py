"""The files of a repository: a skill's folder, or a marketplace of plugins.

Claude Code, Codex and clients of Agent Plugins 1.0 each read files of their own, side by side. No
file names the host, so that a mirror serves the same ones.
"""

import re
import unicodedata
from typing import NamedTuple

from catalogue.repairs import repair
from catalogue.skill_md import name_of, plain
from interfaces.git import manifests, tombstones
from interfaces.git.names import plugin_name, shortened
from interfaces.git.store import GitFile

CATEGORY = "Productivity"  # where an entry has none; Codex wants one
# Names that some file systems take for those of git. It refuses to check them out, or refuses some
# content of theirs.
REFUSED = re.compile(r"\.git.*|(?:gi?[0-9a-z]{0,4})?~\d+", re.IGNORECASE)


class SkillTree(NamedTuple):
    """A version of a skill. It is a Skill to `name_of`."""

    slug: str
    text: GitFile
    files: list


class Plugin(NamedTuple):
    """What sources.py reads of one."""

    kind: str
    entry_id: int
    version_id: int
    slug: str
    number: int
    title: str
    description: str
    category: str
    author: str
    bundled: list  # ids of versions of skills
    taken: list  # slugs that a persona's plugin cannot be called
    reason: str = ""  # of a tombstone
    successor: str = ""  # the slug of what replaces it, or ""
    is_present: bool = True  # whether the agent still has it

    @property
    def name(self):
        """Its folder, which is also the name that clients install."""
        return plugin_name(self.kind, self.slug, self.taken)

    def in_lines(self):
        """The same with texts of one line each, as every file has them."""
        title = plain(self.title) or self.slug
        description = tombstones.headline(self.reason) if self.reason else plain(self.description)
        return self._replace(
            title=title,
            description=description or title,
            category=plain(self.category) or CATEGORY,
            author=plain(self.author),
        )


def skill_files(folder, below=""):
    files = {
        f"{below}{file['path']}": GitFile(
            digest=file["digest"], is_executable=file["is_executable"]
        )
        for file in folder.files
        if is_accepted(file["path"])
    }
    return {f"{below}SKILL.md": folder.text, **files}


def is_accepted(path):
    """Whether git accepts the path. File systems ignore some characters of a name."""
    visible = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
    return not any(REFUSED.fullmatch(part) for part in visible.split("/"))


def marketplace_files(title, plugins, folders, prompts, versions_of):
    """The files of a marketplace. `folders` and `prompts` are keyed by version id.

    A prompt comes with the frontmatter above it. `versions_of` takes the plugins with their files,
    and returns the versions by the names of the plugins.
    """
    plugins = [plugin.in_lines() for plugin in plugins]
    contents = [dict(contents_of(plugin, title, folders, prompts)) for plugin in plugins]
    pairs = list(zip(plugins, contents, strict=True))
    versions = versions_of(
        [(plugin, {**content, **manifests.of_plugin(plugin, "")}) for plugin, content in pairs]
    )
    files = manifests.of_marketplace(title, plugins, versions)
    for plugin, content in pairs:
        content |= manifests.of_plugin(plugin, versions[plugin.name])
        files |= {f"plugins/{plugin.name}/{path}": file for path, file in content.items()}
    return files


def contents_of(plugin, title, folders, prompts):
    """The files of a plugin by path, without its manifests."""
    if plugin.reason:
        yield from tombstone_files(plugin, tombstones.command_of_plugin(plugin.name, title))
    elif plugin.kind == "skill":
        yield from skills_below([folders[plugin.version_id]]).items()
    else:
        yield f"agents/{plugin.slug}.md", agent_file(plugin, *prompts[plugin.version_id])
        yield from skills_below([folders[version] for version in plugin.bundled]).items()


def tombstone_files(plugin, command):
    """A skill, and for a persona an agent besides, because Codex reads no agents."""
    name = shortened(plugin.slug)
    yield from skills_below([tombstone_tree(plugin, command)]).items()
    if plugin.kind == "persona":
        yield f"agents/{plugin.slug}.md", tombstone(plugin, name, command)


def tombstone_tree(plugin, command):
    """The SkillTree of a tombstone. Skills have other names than the plugins of personas."""
    tree = SkillTree(plugin.slug if plugin.kind == "skill" else plugin.name, None, [])
    return tree._replace(text=tombstone(plugin, name_of(tree), command))


def tombstone(plugin, name, command):
    text = tombstones.text_of(plugin.kind, name, plugin.reason, plugin.successor, command)
    return GitFile(text)


def skills_below(folders):
    """The folders of skills, by the names in their SKILL.md. Long names may be equal."""
    files, names = {}, set()
    for folder in folders:
        name = name_of(folder) if name_of(folder) not in names else shortened(folder.slug)
        names.add(name)
        files |= skill_files(folder, f"skills/{name}/")
    return files


def agent_file(plugin, frontmatter, prompt):
    """The file of a persona, in the format of a subagent."""
    name = shortened(plugin.slug)
    if frontmatter:
        return GitFile(repair(frontmatter + prompt, name, plugin.description).text.encode())
    lines = tombstones.quoted_lines({"name": name, "description": plugin.description})
    return GitFile(f"---\n{lines}---\n\n{prompt}".encode())
