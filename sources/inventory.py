"""The slugs and digests of a source's files, which tell what has changed (contract 30)."""

from pathlib import PurePosixPath

from catalogue.models import Skill
from importing.names import is_skill_md, reason_to_leave_out
from importing.outcomes import FileReport
from marketplace.models import max_length
from sources.models import MAX_PATH, UNREADABLE
from submissions.proposals import bytes_digest_of

MAX_SLUG = max_length(Skill, "slug")  # An import refuses a longer name.


class Inventory:
    """Reads the files below the root with importers, by kind.

    `refused` are the `(path, sentence)` of the files that the fetch has refused. The root lacks
    them, so their entries are UNREADABLE and keep their versions.
    """

    def __init__(self, source, root, importers, refused):
        self.source, self.root, self.importers = source, root, importers
        paths = [PurePosixPath(path) for path, _ in refused]
        paths = [path for path in paths if not any(map(reason_to_leave_out, path.parts))]
        self.missing, self.around = set(paths), {one for path in paths for one in path.parents}
        self.skills = {path.parent for path in paths if is_skill_md(path.name)}
        self.findings, self.copies = [], 0

    def run(self, files):
        """`{(kind, path): (slug, digest)}` of the files, without copies of others."""
        known = set(self.source.files.exclude(bytes_digest="").values_list("kind", "path"))
        texts = {key: ("", UNREADABLE) for key in known if self.is_incomplete(*key)}
        copies = {}
        for file in sorted(files, key=lambda file: order_of(file, known)):
            slug, digest = self.read(file)
            first = copies.setdefault((file.kind, slug, digest), file.path) if slug else file.path
            if first == file.path or (file.kind, str(file.path)) in known:
                texts[file.kind, str(file.path)] = slug, digest
            else:
                self.copies += 1
        return texts

    def read(self, file):
        """The slug and the digest of a file: "" and UNREADABLE if it cannot be imported."""
        if self.is_incomplete(file.kind, str(file.path)):
            return "", UNREADABLE
        importer = self.importers[file.kind]
        importer.report = FileReport()
        read = importer.read(self.root, self.root / file.path)
        if len(str(file.path)) > MAX_PATH:
            importer.report.refuse(file.path, f"its path has more than {MAX_PATH} characters")
        if importer.report.refused:
            self.findings.append((str(file.path), importer.report.text))
            return "", UNREADABLE
        files = read.folder.files if read.folder else []
        digest = bytes_digest_of(file.path.name, read.text, files)
        return importer.slug_of(read)[:MAX_SLUG], digest

    def is_incomplete(self, kind, path):
        """Whether the fetch has refused it, a folder around it, or a file of its skill.

        What seems to be a persona belongs to a skill whose SKILL.md was refused.
        """
        path = PurePosixPath(path)
        is_missing = not self.missing.isdisjoint([path, *path.parents])
        if kind == "persona":
            return is_missing or not self.skills.isdisjoint(path.parents)
        return is_missing or path.parent in self.around


def order_of(file, known):
    """Sorts copies of a file: those with an entry first, those in hidden folders last."""
    is_new = (file.kind, str(file.path)) not in known
    return is_new, any(part.startswith(".") for part in file.path.parts), file
