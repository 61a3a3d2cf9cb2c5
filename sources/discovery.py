"""The skills and personas in a repository, wherever authors keep them (contract 30)."""

import json
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from importing.names import is_skill_md, normalized
from sources.models import SourceKind

MARKETPLACE = ".claude-plugin/marketplace.json"
MAX_MARKETPLACE, MAX_PLUGINS = 1024 * 1024, 1000  # bytes, plugins
PERSONAS = ("agents", ".claude/agents", "personas")
SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")


class Discovered(NamedTuple):
    """A file that makes an entry, and the place where it was found, such as `skills/`."""

    kind: str
    path: PurePosixPath  # in the repository
    place: str


class Discovery:
    """Finds the files of a source below the `root` of its repository.

    Every folder with a SKILL.md is a skill, as in an import. Personas have no such mark, so they
    are only looked for in folders of agents, and in the folder that staff chose.
    """

    def __init__(self, source, root, importers):
        self.source, self.root, self.importers = source, root, importers
        self.folder = root and root / source.folder
        self.findings = []  # (path, sentence)

    def run(self):
        """Every Discovered file, skills first, because personas bundle them."""
        plugins = [*self.plugin_folders(), *self.listed_plugins()]
        self.persona_folders = {*PERSONAS, *(f"{plugin}/agents" for plugin in plugins)}
        return [file for kind in self.kinds for file in sorted(self.files_of(kind))]

    @property
    def kinds(self):
        if self.source.kind == SourceKind.BOTH:
            return ["skill", "persona"]
        return [self.source.kind.removesuffix("s")]

    @property
    def gone(self):
        """The ref or the folder that the repository lacks, in words; or ""."""
        if self.root is None:
            return f"The branch or tag {self.source.ref}"
        return "" if self.folder.is_dir() else f"The folder {self.source.folder}"

    def files_of(self, kind):
        if kind == "persona" and self.is_in_skill():
            return
        for _, path in self.importers[kind].find(self.folder):
            below = PurePosixPath(path.relative_to(self.root).as_posix())
            if kind == "skill" or self.source.folder or self.is_in_folder_of_personas(below):
                yield Discovered(kind, below, self.place_of(kind, below))

    # Personas

    def is_in_folder_of_personas(self, path):
        return not self.persona_folders.isdisjoint(map(str, path.parents))

    def is_in_skill(self):
        """Whether the chosen folder is below a skill's, where all files belong to the skill."""
        around = PurePosixPath(self.source.folder).parents
        return any(is_skill_md(path.name) for one in around for path in (self.root / one).iterdir())

    # Plugins

    def plugin_folders(self):
        plugins = self.root / "plugins"
        if plugins.is_dir():
            yield from (f"plugins/{path.name}" for path in plugins.iterdir() if path.is_dir())

    def listed_plugins(self):
        """The folders of this repository that its marketplace lists as plugins."""
        path = self.root / MARKETPLACE
        if not path.is_file():
            return
        try:
            with path.open("rb") as file:
                marketplace = json.loads(file.read(MAX_MARKETPLACE))
            base = (marketplace.get("metadata") or {}).get("pluginRoot") or ""
            sources = [plugin["source"] for plugin in marketplace["plugins"][:MAX_PLUGINS]]
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
            self.findings.append((MARKETPLACE, "It is no list of plugins, so it was not read."))
            return
        for source in sources:
            # Other sources are repositories, which nobody has allowed.
            if isinstance(source, str) and not SCHEME.match(source):
                yield from self.folder_of(base, source)

    def folder_of(self, base, source):
        folder = PurePosixPath(normalized(str(base)), normalized(source))
        if not folder.is_absolute() and ".." not in folder.parts and folder.parts:
            yield str(folder)

    # For the source's page

    def place_of(self, kind, path):
        """The folder around its skills, or that of a persona, as staff know it."""
        folder = path.parent.parent if kind == "skill" else path.parent
        if path.parent == PurePosixPath("."):
            return "/"
        parts = folder.parts
        if parts[:1] == ("plugins",) and len(parts) > 1:
            parts = ("plugins", "*", *parts[2:])
        return "/".join([*parts, ""]) or "/"
