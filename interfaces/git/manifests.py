"""The manifests of plugins and marketplaces, as each client reads them (contract 27.4).

No file names the host, so that a mirror serves the same ones.
"""

import orjson

from interfaces.git.store import GitFile

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"


def of_plugin(plugin, version):
    """The manifests of a plugin by path."""
    manifest = manifest_of(plugin, version)
    return {
        "plugin.json": in_json({"$schema": SCHEMA, **manifest}),
        ".claude-plugin/plugin.json": in_json(manifest),
        ".codex-plugin/plugin.json": in_json(codex_manifest(plugin, manifest)),
    }


def of_marketplace(title, plugins, versions):
    """The lists of plugins by path. `versions` are by the names of the plugins."""
    return {
        ".claude-plugin/marketplace.json": in_json(claude_marketplace(title, plugins, versions)),
        ".agents/plugins/marketplace.json": in_json(codex_marketplace(title, plugins)),
    }


def manifest_of(plugin, version):
    author = {"author": {"name": plugin.author}} if plugin.author else {}
    return {
        "name": plugin.name,
        "version": version,
        "description": plugin.description,
        **author,
    }


def codex_manifest(plugin, manifest):
    has_skills = plugin.kind == "skill" or plugin.bundled or plugin.reason
    skills = {"skills": "./skills/"} if has_skills else {}
    interface = {
        "displayName": plugin.title,
        "shortDescription": plugin.description,
        "category": plugin.category,
    }
    return {**manifest, **skills, "interface": interface}


def claude_marketplace(title, plugins, versions):
    return {
        "name": title,
        "owner": {"name": title},
        "metadata": {"description": "Skills and personas for agents"},
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
