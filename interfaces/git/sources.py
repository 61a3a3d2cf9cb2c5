"""The current content of each repository, in one or two statements. trees.py makes the files."""

from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

import orjson
from django.conf import settings

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona
from catalogue.skill_md import name_of
from catalogue.slugs import is_slug
from installs import reads as installs
from installs.exceptions import PersonaRequiresPayment
from interfaces.git import plugin_versions, store, tombstones
from interfaces.git.exceptions import CatalogueTooLarge
from interfaces.git.names import EVERYTHING, own_plugin_name, persona_marketplace, shortened
from interfaces.git.sql import (
    CATALOGUE,
    FOLDERS,
    HISTORY,
    INSTALLED,
    PERSONA,
    PROMPTS,
    rows_of,
)
from interfaces.git.trees import Plugin, SkillTree, Texts, marketplace_files, skill_files

# Raise it when the same rows make other files, so that each repository gets one commit of them.
FORMAT = 2
EVERYTHING_PLUGIN = Plugin(
    kind=EVERYTHING,
    entry_id=0,
    version_id=0,
    slug=EVERYTHING,
    number=1,
    title="Everything",
    description="All skills that your agent has, and its active persona",
    category="",
    author="",
    license="",
    tags=[],
    bundled=[],
    taken=[],
)


def source_of(kind, slug, agent):
    """The content of the repository at this path. Raises the API's error if there is none."""
    if kind == "catalogue":
        return Catalogue()
    if kind == "me":
        return OwnPlugins(agent)
    return (SkillHistory if kind == "skills" else PersonaPlugin)(slug)


class Marketplace:
    """A marketplace of plugins. It gets one commit when it has changed."""

    is_extension = True  # of Gemini, too

    def read(self):
        self.title = self.title_of(store.marketplace_name())
        self.plugins = self.read_plugins()

    def title_of(self, name):
        return name

    def state(self):
        text = repr((FORMAT, self.title, self.plugins))
        return digest_of(text.encode())

    def snapshots(self, repository):
        versions = {
            (plugin.kind, plugin.version_id) for plugin in self.plugins if plugin.version_id
        }
        versions |= {("skill", key) for plugin in self.plugins for key in plugin.bundled}
        folders = folders_of([key for kind, key in versions if kind == "skill"])
        prompts = rows_of(PROMPTS, [[key for kind, key in versions if kind == "persona"]])
        prompts = {key: (head, bytes(data).decode()) for key, head, data in prompts}
        versions_of = partial(plugin_versions.versions_of, repository)
        texts, is_extension = Texts(folders, prompts), self.is_extension
        files = marketplace_files(
            self.title, self.plugins, texts, versions_of, is_extension=is_extension
        )
        message = f"{len(self.plugins)} plugin{'' if len(self.plugins) == 1 else 's'}"
        [(now,)] = rows_of("SELECT now()")
        return [store.Snapshot(files, message, versions, now)]

    def tags_of(self, _repository):
        return {}


class Catalogue(Marketplace):
    name, is_extension = "catalogue", False

    def __init__(self):
        self.read()

    def read_plugins(self):
        most = settings.GIT_MAX_ENTRIES
        plugins = in_order(rows_of(CATALOGUE, {"limit": most + 1}))
        if sum(plugin.version_id > 0 for plugin in plugins) > most:
            raise CatalogueTooLarge(most)
        return plugins


class PersonaPlugin(Marketplace):
    def __init__(self, slug):
        persona = Persona.objects.filter(slug=slug).only("price_cents").first()
        if not is_slug(slug) or persona is None:
            raise PersonaNotFound
        self.slug, self.name = slug, f"persona/{persona.pk}"
        self.read()
        if not persona.is_free:
            raise PersonaRequiresPayment

    def title_of(self, name):
        return persona_marketplace(name, self.slug)

    def read_plugins(self):
        rows = rows_of(PERSONA, {"slug": self.slug})
        if not rows:
            raise PersonaNotFound
        return in_order(rows)


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
        params = {"agent": self.agent.pk, "repository": self.name}
        params |= {"skills": [], "skill_numbers": [], "personas": [], "persona_numbers": []}
        for (kind, slug), row in installed.items():
            params[f"{kind}s"].append(slug)
            params[f"{kind}_numbers"].append(row.number)
        plugins = in_order(rows_of(INSTALLED, params))
        bundled = [
            plugin.version_id
            for plugin in plugins
            if plugin.version_id and installed[plugin.kind, plugin.slug].is_bundled
        ]
        slugs = {plugin.slug for plugin in plugins}
        skills = {plugin.slug for plugin in plugins if plugin.kind == "skill"}
        plugins = [
            with_manifest(plugin, installed.get((plugin.kind, plugin.slug)), bundled)._replace(
                own_name=own_plugin_name(
                    plugin.kind,
                    plugin.slug,
                    {*plugin.taken, *(slugs if plugin.slug == EVERYTHING else skills)},
                )
            )
            for plugin in plugins
            # A persona may bring the newest text of a skill whose recalled one the agent had.
            if plugin.version_id or (plugin.kind, plugin.slug) not in installed
        ]
        return [*plugins, EVERYTHING_PLUGIN]


def with_manifest(plugin, row, bundled):
    """The Plugin of an entry with what a row of the manifest says; a tombstone has none."""
    if row is None:
        return plugin
    return plugin._replace(
        title=row.title,
        description=row.description,
        bundled=bundled if plugin.kind == "persona" else [],
    )


class OfSkill(NamedTuple):
    """A version of a skill, and what its tombstone says."""

    id: int
    number: int
    recalled_at: datetime | None
    created_at: datetime
    is_there: bool  # A purged version is not.
    skill_id: int
    reason: str  # "" while the skill is published
    successor: str
    withdrawn_at: datetime


class SkillHistory:
    """The folder of a skill, with a commit and a tag for each version.

    A recalled one has its tombstone on top, and no tags (contract 34.4).
    """

    def __init__(self, slug):
        self.slug = slug
        self.read()
        self.name = f"skill/{self.newest.skill_id}"

    def read(self):
        rows = rows_of(HISTORY, {"slug": self.slug}) if is_slug(self.slug) else []
        if not rows:
            raise SkillNotFound
        versions = list(map(OfSkill._make, rows))
        self.newest = versions[-1]
        self.versions = [version for version in versions if version.is_there]

    @property
    def tombstone(self):
        """The SKILL.md of a recalled skill, as bytes; or None."""
        if not self.newest.reason:
            return None
        name = name_of(self)
        command = tombstones.command_of_skill(name)
        return tombstones.text_of("skill", name, self.newest.reason, self.newest.successor, command)

    def state(self):
        """The newest number, and the digest of a tombstone behind a space."""
        number = str(self.versions[-1].number if self.versions else 0)
        return f"{number} {digest_of(self.tombstone)}" if self.tombstone else number

    def snapshots(self, repository):
        """Those of the versions that are new to the repository, and the tombstone."""
        number, _, was_recalled = (repository.state or "0").partition(" ")
        new = [version for version in self.versions if version.number > int(number)]
        folders = folders_of([version.id for version in [*new, *self.versions[-1:]]])
        shots = [
            self.snapshot(version, folders, version.created_at, version.number) for version in new
        ]
        if self.tombstone:
            files = {"SKILL.md": store.GitFile(self.tombstone)}
            shots.append(store.Snapshot(files, "Recalled", set(), self.newest.withdrawn_at))
        elif was_recalled and not new:
            # The tag stays where it was, because clients refuse to move one.
            [(now,)] = rows_of("SELECT now()")
            shots.append(self.snapshot(self.versions[-1], folders, now))
        return shots

    def snapshot(self, version, folders, made_at, number=None):
        files, held = skill_files(folders[version.id]), {("skill", version.id)}
        return store.Snapshot(files, f"Version {version.number}", held, made_at, number)

    def tags_of(self, repository):
        """The commit of each version that is not recalled, by the name of its tag."""
        if self.tombstone:
            return {}
        commits = store.commits_of_versions(repository)
        return {
            f"v{version.number}": commits[version.number]
            for version in self.versions
            if version.recalled_at is None and version.number in commits
        }


def in_order(rows):
    """Rows of plugins as Plugins, by slug.

    Skills come first, so that clients find a skill in its own plugin before those of personas.
    """
    plugins = [Plugin(*row) for row in rows]
    return sorted(plugins, key=lambda plugin: (plugin.kind != "skill", plugin.slug))


def digest_of(data):
    return blake2b(data, digest_size=16).hexdigest()


def folders_of(versions):
    """The SkillTree of each of these versions of skills, by its id."""
    return {
        key: SkillTree(slug, store.GitFile(digest=text), in_python(files))
        for key, slug, text, files in rows_of(FOLDERS, [versions])
    }


def in_python(files):
    return orjson.loads(files) if isinstance(files, str) else files
