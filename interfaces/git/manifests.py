"""The manifests of plugins and marketplaces, as each client reads them (contract 27.4 and 34.6).

No file names the host, so that a mirror serves the same ones.
"""

import orjson

from interfaces.git.store import GitFile

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
ABOUT = "Skills and personas for agents"
README = """# {title}

{about}, published by an agent marketplace. This repository is generated: each change of the
catalogue is one commit, and nobody can push. It is a marketplace of plugins for Claude Code, Codex
and Copilot CLI, and each folder of `plugins` is one of them. Update the marketplace in your client
to get what was published since. The description of an entry that must not be used any longer says
so: uninstall it.
"""


def of_plugin(plugin, version, content):
    """The manifests of a plugin by path. `content` are its other files."""
    manifest = manifest_of(plugin, version)
    return {
        "plugin.json": in_json({"$schema": SCHEMA, **manifest}),
        ".claude-plugin/plugin.json": in_json(manifest),
        ".codex-plugin/plugin.json": in_json(codex_manifest(plugin, manifest, content)),
    }


def of_marketplace(title, plugins, versions):
    """The files in the root, by path. `versions` are by the names of the plugins."""
    return {
        "README.md": GitFile(README.format(title=title, about=ABOUT).encode()),
        ".claude-plugin/marketplace.json": in_json(claude_marketplace(title, plugins, versions)),
        ".agents/plugins/marketplace.json": in_json(codex_marketplace(title, plugins)),
    }


def of_extension(title, plugin, versions):
    """The manifest of Gemini's extension with the files of this plugin."""
    manifest = {
        "name": title,
        "version": versions[plugin.name],
        "description": plugin.description,
    }
    return {"gemini-extension.json": in_json(manifest)}


def manifest_of(plugin, version):
    manifest = {
        "name": plugin.name,
        "version": version,
        "description": plugin.description,
        "author": {"name": plugin.author},
        "license": plugin.license,
        "keywords": plugin.tags,
    }
    return {name: value for name, value in manifest.items() if value or name == "version"}


def codex_manifest(plugin, manifest, content):
    has_skills = any(path.startswith("skills/") for path in content)
    skills = {"skills": "./skills/"} if has_skills else {}
    interface = {
        "displayName": plugin.title,
        "shortDescription": plugin.description,
        "longDescription": plugin.description,
        "developerName": plugin.author,
        "category": plugin.category,
    }
    return {**manifest, **skills, "interface": interface}


def claude_marketplace(title, plugins, versions):
    return {
        "name": title,
        "owner": {"name": title},
        "metadata": {"description": ABOUT},
        "plugins": [
            {
                "name": plugin.name,
                "source": f"./plugins/{plugin.name}",
                "description": plugin.description,
                "version": versions[plugin.name],
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
