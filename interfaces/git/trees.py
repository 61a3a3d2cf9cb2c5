"""The files of a repository: a skill's folder, or a marketplace of plugins.

Claude Code, Codex and clients of Agent Plugins 1.0 each read files of their own, side by side. No
file names the host, so that a mirror serves the same ones.
"""

import re
import unicodedata
from typing import NamedTuple

import orjson

from catalogue.repairs import repair
from catalogue.skill_md import name_of, plain, yaml_lines
from interfaces.git.names import plugin_name, shortened
from interfaces.git.store import GitFile

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
CATEGORY = "Productivity"  # where an entry has none; Codex wants one
# Names that some file systems take for those of git. It refuses to check them out, or refuses some
# content of theirs.
REFUSED = re.compile(r"\.git.*|(?:gi?[0-9a-z]{0,4})?~\d+", re.IGNORECASE)


class SkillTree(NamedTuple):
    """A version of a skill. It is a Skill to `name_of`."""

    slug: str
    text_digest: str
    files: list


class Plugin(NamedTuple):
    """What sources.py reads of one."""

    kind: str
    version_id: int
    slug: str
    number: int
    title: str
    description: str
    category: str
    author: str
    bundled: list  # ids of versions of skills
    taken: list  # slugs that a persona's plugin cannot be called

    @property
    def name(self):
        """Its folder, which is also the name that clients install."""
        return plugin_name(self.kind, self.slug, self.taken)

    def in_lines(self):
        """The same with texts of one line each, as every file has them."""
        title = plain(self.title) or self.slug
        return self._replace(
            title=title,
            description=plain(self.description) or title,
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
    return {f"{below}SKILL.md": GitFile(digest=folder.text_digest), **files}


def is_accepted(path):
    """Whether git accepts the path. File systems ignore some characters of a name."""
    visible = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
    return not any(REFUSED.fullmatch(part) for part in visible.split("/"))


def marketplace_files(title, plugins, folders, prompts):
    """The files of a marketplace. `folders` and `prompts` are keyed by version id.

    A prompt comes with the frontmatter above it.
    """
    plugins = [plugin.in_lines() for plugin in plugins]
    files = {
        ".claude-plugin/marketplace.json": in_json(claude_marketplace(title, plugins)),
        ".agents/plugins/marketplace.json": in_json(codex_marketplace(title, plugins)),
    }
    for plugin in plugins:
        below = f"plugins/{plugin.name}/"
        files |= {below + path: file for path, file in plugin_files(plugin, folders, prompts)}
    return files


def plugin_files(plugin, folders, prompts):
    manifest = manifest_of(plugin)
    yield "plugin.json", in_json({"$schema": SCHEMA, **manifest})
    yield ".claude-plugin/plugin.json", in_json(manifest)
    yield ".codex-plugin/plugin.json", in_json(codex_manifest(plugin, manifest))
    if plugin.kind == "skill":
        yield from skills_below([folders[plugin.version_id]]).items()
    else:
        yield f"agents/{plugin.slug}.md", agent_file(plugin, *prompts[plugin.version_id])
        yield from skills_below([folders[version] for version in plugin.bundled]).items()


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
    lines = yaml_lines({"name": name, "description": plugin.description})
    return GitFile(f"---\n{lines}---\n\n{prompt}".encode())


def manifest_of(plugin):
    author = {"author": {"name": plugin.author}} if plugin.author else {}
    return {
        "name": plugin.name,
        "version": f"{plugin.number}.0.0",
        "description": plugin.description,
        **author,
    }


def codex_manifest(plugin, manifest):
    skills = {"skills": "./skills/"} if plugin.kind == "skill" or plugin.bundled else {}
    interface = {
        "displayName": plugin.title,
        "shortDescription": plugin.description,
        "category": plugin.category,
    }
    return {**manifest, **skills, "interface": interface}


def claude_marketplace(title, plugins):
    return {
        "name": title,
        "owner": {"name": title},
        "metadata": {"description": "Skills and personas for agents"},
        "plugins": [
            {
                "name": plugin.name,
                "source": f"./plugins/{plugin.name}",
                "description": plugin.description,
                "version": f"{plugin.number}.0.0",
                "category": plugin.category,
            }
            for plugin in plugins
        ],
    }


def codex_marketplace(title, plugins):
    return {
        "name": title,
        "interface": {"displayName": title},
        "plugins": [
            {
                "name": plugin.name,
                "source": {"source": "local", "path": f"./plugins/{plugin.name}"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": plugin.category,
            }
            for plugin in plugins
        ],
    }


def in_json(data):
    return GitFile(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
