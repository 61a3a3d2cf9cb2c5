"""The current content of each repository, in one or two statements. trees.py makes the files."""

from functools import partial
from hashlib import blake2b

import orjson
from django.conf import settings

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, SkillVersion, Status
from catalogue.slugs import is_slug
from installs import reads as installs
from installs.exceptions import PersonaRequiresPayment
from interfaces.git import plugin_versions, store
from interfaces.git.exceptions import CatalogueTooLarge
from interfaces.git.names import persona_marketplace, shortened
from interfaces.git.sql import CATALOGUE, FOLDERS, INSTALLED, PERSONA, PROMPTS, rows_of
from interfaces.git.trees import Plugin, SkillTree, marketplace_files, skill_files

# Raise it when the same rows make other files, so that each repository gets one commit of them.
FORMAT = 2


def source_of(kind, slug, agent):
    """The content of the repository at this path. Raises the API's error if there is none."""
    if kind == "catalogue":
        return Catalogue()
    if kind == "me":
        return OwnPlugins(agent)
    return (SkillHistory if kind == "skills" else PersonaPlugin)(slug)


class Marketplace:
    """A marketplace of plugins. It gets one commit when it has changed."""

    def read(self):
        self.title = self.title_of(store.marketplace_name())
        self.plugins = self.read_plugins()

    def title_of(self, name):
        return name

    def state(self):
        text = repr((FORMAT, self.title, self.plugins))
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def snapshots(self, repository):
        versions = {(plugin.kind, plugin.version_id) for plugin in self.plugins}
        versions |= {("skill", key) for plugin in self.plugins for key in plugin.bundled}
        folders = folders_of([key for kind, key in versions if kind == "skill"])
        prompts = rows_of(PROMPTS, [[key for kind, key in versions if kind == "persona"]])
        prompts = {key: (head, bytes(data).decode()) for key, head, data in prompts}
        versions_of = partial(plugin_versions.versions_of, repository)
        files = marketplace_files(self.title, self.plugins, folders, prompts, versions_of)
        message = f"{len(self.plugins)} plugin{'' if len(self.plugins) == 1 else 's'}"
        [(now,)] = rows_of("SELECT now()")
        return [store.Snapshot(files, message, versions, now)]

    def tags_of(self, _repository):
        return {}


class Catalogue(Marketplace):
    name = "catalogue"

    def __init__(self):
        self.read()

    def read_plugins(self):
        most = settings.GIT_MAX_ENTRIES
        rows = rows_of(CATALOGUE, {"limit": most + 1})
        if len(rows) > most:
            raise CatalogueTooLarge(most)
        return list(map(Plugin._make, rows))


class PersonaPlugin(Marketplace):
    def __init__(self, slug):
        personas = Persona.objects.published().filter(slug=slug).only("price_cents")
        persona = personas.first() if is_slug(slug) else None
        if persona is None:
            raise PersonaNotFound
        if not persona.is_free:
            raise PersonaRequiresPayment
        self.slug, self.name = slug, f"persona/{persona.pk}"
        self.read()

    def title_of(self, name):
        return persona_marketplace(name, self.slug)

    def read_plugins(self):
        rows = rows_of(PERSONA, {"slug": self.slug})
        if not rows:
            raise PersonaNotFound
        return list(map(Plugin._make, rows))


class OwnPlugins(Marketplace):
    """The manifest of an agent, in the versions that the agent gets."""

    def __init__(self, agent):
        self.agent, self.name = agent, f"agent/{agent.pk}"
        self.read()

    def title_of(self, name):
        return shortened(f"{name}-me")

    def read_plugins(self):
        manifest = installs.manifest(self.agent)
        installed = {(row.kind, row.slug): row for row in manifest.rows}
        params = {"skills": [], "skill_numbers": [], "personas": [], "persona_numbers": []}
        for (kind, slug), row in installed.items():
            params[f"{kind}s"].append(slug)
            params[f"{kind}_numbers"].append(row.number)
        plugins = [Plugin(*row) for row in rows_of(INSTALLED, params)]
        plugins.sort(key=lambda plugin: (plugin.slug, plugin.kind))
        bundled = [
            plugin.version_id
            for plugin in plugins
            if installed[plugin.kind, plugin.slug].is_bundled
        ]
        return [
            plugin._replace(
                title=installed[plugin.kind, plugin.slug].title,
                description=installed[plugin.kind, plugin.slug].description,
                bundled=bundled if plugin.kind == "persona" else [],
            )
            for plugin in plugins
        ]


class SkillHistory:
    """The folder of a skill, with a commit and a tag for each version."""

    def __init__(self, slug):
        self.slug = slug
        self.read()
        self.name = f"skill/{self.versions[0].skill_id}"

    def read(self):
        if not is_slug(self.slug):
            raise SkillNotFound
        versions = SkillVersion.objects.filter(
            skill__slug=self.slug, skill__status=Status.PUBLISHED
        ).exclude(title="")  # which only a purged one has
        columns = "number", "recalled_at", "created_at", "skill_id"
        self.versions = list(versions.only(*columns).order_by("number"))
        if not self.versions:
            raise SkillNotFound

    def state(self):
        return str(self.versions[-1].number)

    def snapshots(self, repository):
        """Those of the versions that are new to the repository."""
        newest = int(repository.state or 0)
        new = [version for version in self.versions if version.number > newest]
        folders = folders_of([version.id for version in new])
        return [
            store.Snapshot(
                skill_files(folders[version.id]),
                f"Version {version.number}",
                {("skill", version.id)},
                version.created_at,
                version.number,
            )
            for version in new
        ]

    def tags_of(self, repository):
        """The commit of each version that is not recalled, by the name of its tag."""
        commits = store.commits_of_versions(repository)
        return {
            f"v{version.number}": commits[version.number]
            for version in self.versions
            if version.recalled_at is None and version.number in commits
        }


def folders_of(versions):
    """The SkillTree of each of these versions of skills, by its id."""
    return {
        key: SkillTree(slug, text, orjson.loads(files) if isinstance(files, str) else files)
        for key, slug, text, files in rows_of(FOLDERS, [versions])
    }
