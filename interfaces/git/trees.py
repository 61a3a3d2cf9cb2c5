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
from interfaces.git.names import EVERYTHING, plugin_name, shortened
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


class Texts(NamedTuple):
    """Versions by their ids. A prompt comes with the frontmatter above it."""

    folders: dict  # the SkillTrees
    prompts: dict


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
    license: str
    tags: list
    bundled: list  # ids of versions of skills
    taken: list  # slugs that a persona's plugin cannot be called
    reason: str = ""  # of a tombstone
    successor: str = ""  # the slug of what replaces it, or ""
    is_present: bool = True  # whether the agent still has it
    own_name: str = ""  # in me.git

    @property
    def name(self):
        """Its folder, which is also the name that clients install."""
        return self.own_name or plugin_name(self.kind, self.slug, self.taken)

    def in_lines(self, marketplace):
        """The same with texts of one line each, as every file has them."""
        title = plain(self.title) or self.slug
        description = tombstones.headline(self.reason) if self.reason else plain(self.description)
        return self._replace(
            title=title,
            description=description or title,
            category=plain(self.category) or CATEGORY,
            author=plain(self.author) or marketplace,
            license=plain(self.license),
            tags=list(filter(None, map(plain, self.tags))),
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


def marketplace_files(title, plugins, texts, versions_of, *, is_extension):
    """The files of a marketplace by path.

    `versions_of` takes the plugins with their files, and returns the versions by the names of the
    plugins. If the marketplace `is_extension`, Gemini reads its last plugin in the root.
    """
    plugins = [plugin.in_lines(title) for plugin in plugins]
    contents = [contents_of(plugin, title, plugins, texts) for plugin in plugins]
    pairs = list(zip(plugins, contents, strict=True))
    versions = versions_of(
        [(plugin, content | manifests.of_plugin(plugin, "", content)) for plugin, content in pairs]
    )
    files = manifests.of_marketplace(title, plugins, versions)
    if is_extension:
        files |= contents[-1] | manifests.of_extension(title, plugins[-1], versions)
    for plugin, content in pairs:
        all_files = content | manifests.of_plugin(plugin, versions[plugin.name], content)
        files |= {f"plugins/{plugin.name}/{path}": file for path, file in all_files.items()}
    return files


def contents_of(plugin, title, plugins, texts):
    """The files of a plugin by path, without its manifests."""
    if plugin.kind == EVERYTHING:
        return everything_files(plugins, texts)
    if plugin.reason:
        command = tombstones.command_of_plugin(plugin.name, title)
        trees, agents = [tombstone_tree(plugin, command)], tombstone_agents(plugin, command)
    elif plugin.kind == "skill":
        trees, agents = [texts.folders[plugin.version_id]], {}
    else:
        trees = [texts.folders[version] for version in plugin.bundled]
        agents = agent_files(plugin, texts)
    return agents | skills_below(trees)


def everything_files(plugins, texts):
    """Everything that an agent has, each once (contract 34.5)."""
    trees, agents = [], {}
    parts = [plugin for plugin in plugins if plugin.is_present and plugin.kind != EVERYTHING]
    for part in sorted(parts, key=lambda part: (part.slug, part.kind)):
        if part.reason:
            command = tombstones.command_of_tool(part.kind, part.slug)
            trees.append(tombstone_tree(part, command))
            agents |= tombstone_agents(part, command)
        elif part.kind == "skill":
            trees.append(texts.folders[part.version_id])
        else:
            agents |= agent_files(part, texts)
    return agents | skills_below(trees)


def agent_files(plugin, texts):
    return {f"agents/{plugin.slug}.md": agent_file(plugin, *texts.prompts[plugin.version_id])}


def tombstone_agents(plugin, command):
    """The agent of a persona's tombstone. It has a skill besides: Codex reads no agents."""
    if plugin.kind == "skill":
        return {}
    return {f"agents/{plugin.slug}.md": tombstone(plugin, shortened(plugin.slug), command)}


def tombstone_tree(plugin, command):
    """The SkillTree of a tombstone. A persona's is called as its plugin, unlike any skill."""
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
