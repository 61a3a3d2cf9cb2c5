"""Finding the files to import below a path."""

import os
from dataclasses import dataclass
from pathlib import Path

from catalogue.findings import Finding
from catalogue.frontmatter import Frontmatter, Refused
from importing.folders import ImportFolder, is_below
from importing.names import is_skill_md, is_skipped


@dataclass
class ImportFile:
    """A file that was read. Its `slug` comes from its name, and may be taken."""

    root: Path
    path: Path
    source: str
    slug: str
    fields: Frontmatter
    text: str
    body: str
    folder: ImportFolder | None = None  # the files beside a skill's file
    values: dict | None = None  # `{field: value}` of the entry, from its frontmatter
    inspected: tuple | None = None  # the findings of its text and of its folder, once known


class Finder:
    """Finds the files of an importer, which has a `report` and perhaps a `source`."""

    def find(self, path):
        """The files to import below a path, in a stable order, as (root, file)."""
        path = Path(path)
        if not path.is_dir():
            yield path.parent, path
            return
        skills = set()  # every folder of a skill, and those below
        for name, folders, names in os.walk(path, onerror=self.refuse_folder):
            folder = Path(name)
            if folder.parent in skills or any(map(is_skill_md, names)):
                skills.add(folder)
            chosen = self.importable(folder, sorted(names), is_in_skill=folder in skills)
            if folder not in skills:
                self.note_links(path, folder, {*folders, *names}.difference(chosen))
            folders[:] = sorted(name for name in folders if not is_skipped(name))
            yield from ((path, folder / name) for name in chosen)

    def refuse_folder(self, error):
        self.report.refuse(error.filename, error.strerror)

    def note_links(self, root, folder, names):
        """Note the links that lead to nothing that is imported."""
        for link in sorted(folder / name for name in names):
            # A folder inside the path is found anyway.
            if link.is_symlink() and not (link.is_dir() and is_below(link, root)):
                self.leave_out(link, "a link outside of every skill")

    def leave_out(self, path, reason):
        """Report a file that no entry could have."""
        self.report.find(path.parent, [Finding("left-out", path.name, None, reason)])

    def importable(self, folder, names, *, is_in_skill):
        """The names of the files of a folder to import. `is_in_skill` includes a skill's own."""
        raise NotImplementedError

    def source_of(self, root, path):
        """The source of a file: the same in each run over the same files."""
        if self.source is None:
            source = os.path.realpath(path)
        else:
            source = f"{self.source}:{self.below(root, path).as_posix()}"
        try:
            source.encode()
        except UnicodeEncodeError as error:
            raise Refused("its path is not UTF-8") from error
        return source

    def below(self, root, path):
        return path.relative_to(root)

    def owner_folder(self, root, path):
        """The name of the owner's folder, or "" if that is the root or above it."""
        folder = self.owner_of(path)
        return folder.name if folder != root and folder.is_relative_to(root) else ""
