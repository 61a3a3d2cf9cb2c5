"""An author's files, which are read and checked on disk before any of them is stored."""

from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.exceptions import ValidationError
from django.db import connection

from catalogue.archives import SKILL_MD, write_zip
from catalogue.findings import Finding, renamed, stored
from catalogue.frontmatter import Refused
from catalogue.inspection import is_script
from catalogue.models import Status
from catalogue.slugs import MAX_SLUG, is_slug
from importing.confirmed import ConfirmedPersonaImporter, ConfirmedSkillImporter
from importing.exports import as_file
from importing.members import Member, write_members
from importing.names import is_skill_md, reason_to_leave_out
from importing.outcomes import FileReport
from importing.reports import reason_of
from importing.zips import unzip
from marketplace.large_values import pieces_of
from submissions.exceptions import NothingHasChanged, UnusableText
from submissions.staff_fields import keep_fields

ONE_SKILL = "The zip must hold one SKILL.md, at its root or in one folder with all its files"


class ProposedSkillImporter(ConfirmedSkillImporter):
    def store(self, file):
        """Nothing yet: its files are stored when somebody publishes them."""


IMPORTERS = {"skill": ProposedSkillImporter, "persona": ConfirmedPersonaImporter}


class Proposal:
    """A file that was sent, with its folder. Raises UnusableText, which names every fault.

    `faults` are those of the fields beside it.
    """

    by_staff = False  # if so, the rules of an import are enough

    def __init__(self, kind, path, faults=()):
        self.read(IMPORTERS[kind](), path.parent.parent, path, faults)
        self.slug = self.file.fields.get("name")
        # The very name: an import would make a slug of another one.
        if not (isinstance(self.slug, str) and is_slug(self.slug) and len(self.slug) <= MAX_SLUG):
            problems = "name must be a slug, such as pdf-tables", *self.problems_of_persona()
            self.refuse(*self.problems, *problems)

    def read(self, importer, root, path, faults=()):
        """Read the file with its folder. Raises UnusableText if its fields cannot be read."""
        self.kind, self.model, self.importer = importer.model.kind, importer.model, importer
        importer.root, importer.report, self.faults = root, FileReport(), [*faults]
        # Nobody has to tick anything yet: a person reads every finding before it is published.
        shown = importer.display_path(path)
        importer.ticked, importer.published = {shown}, {shown}
        try:
            self.file = importer.parse(root, path)
        except (Refused, OSError) as error:
            self.refuse(reason_of(error))
        self.problems = importer.problems_of(self.file)

    def refuse(self, *problems):
        raise UnusableText("; ".join([*self.faults, *(f"content: {text}" for text in problems)]))

    @property
    def keeps_fields(self):
        """Whether the entry keeps what staff have set beside its file."""
        return not self.by_staff

    @property
    def text(self):
        return self.file.text

    @property
    def files(self):
        return self.file.folder.files if self.file.folder else []

    @property
    def size(self):
        return len(self.text.encode()) + sum(file["size"] for file in self.files)

    def check(self, base, base_number=None):
        """Compare it with the entry that it changes, or None. Raises UnusableText.

        Then its `values` are those of a Submission. Raises NothingHasChanged where an import
        would change nothing.
        """
        self.base, entry = base, base or self.model(slug=self.slug)
        names = [name for name in self.importer.import_fields if name != "status"]
        before = [getattr(entry, name) for name in names]
        is_export = base is not None and as_file(base) == self.text
        self.files_before = getattr(base, "files", [])
        problems = [*self.problems, *self.problems_of_persona()]
        if base is not None and self.keeps_fields:
            keep_fields(self.file, base)
        problems += self.fill(entry)
        if self.faults or problems:
            self.refuse(*problems)
        if base is not None:
            has_same_fields = before == [getattr(entry, name) for name in names]
            has_same_files = self.kind == "persona" or before[names.index("files")] == self.files
            is_same = has_same_fields and not entry.is_outdated and self.has_same_bundle(entry)
            if is_same or (is_export and has_same_files):
                self.refuse_unchanged()
        self.values = self.values_of(entry, base_number)

    def refuse_unchanged(self):
        raise NothingHasChanged

    def fill(self, entry):
        """Set the entry's fields; returns the problems that an import would have with them."""
        self.importer.learn([self.file])
        if not self.importer.fill(self.file, entry):
            return self.importer.report.reasons
        if self.problems:  # which are about the text, too
            return []
        entry.status = Status.PUBLISHED
        try:
            entry.check_text()
        except ValidationError as error:
            return error.messages
        return []

    def problems_of_persona(self):
        if self.kind == "persona" and not self.by_staff:
            self.importer.learn([self.file])
            if str(self.file.fields.get("priceCents") or "").strip("0"):
                yield "a submitted persona must be free"
            for slug in self.importer.unknown_skills(self.file):
                yield f"no published skill is called {slug}"

    def has_same_bundle(self, entry):
        if self.kind == "skill":
            return True
        slugs = {skill.slug for skill in entry.skills.only("slug")}
        return slugs == set(self.file.fields.words("skills"))

    def values_of(self, entry, base_number):
        inspected = renamed(self.importer.report.findings, self.file.path.name, self.file_name)
        findings = [
            *stored(self.file_name, inspected),
            *self.outdated(base_number),
            *([] if self.base else entry.look_alikes()),
        ]
        return {
            "content": self.text,
            "files": self.files,
            "size": self.size,
            "digest": digest_of(entry),
            "bytes_digest": self.bytes_digest,
            "base_number": self.base and self.base.number,
            "base_digest": self.base.digest if self.base else "",
            "findings": [finding._asdict() for finding in findings],
            "changes_scripts": self.changes_scripts(inspected),
        }

    @property
    def file_name(self):
        """The name of its file once it is published."""
        return SKILL_MD if self.kind == "skill" else f"{self.slug}.md"

    def changes_scripts(self, findings):
        """Whether agents may run other files than those of the entry."""
        scripts = {found.path for found in findings if found.code == "script"}
        new = [file for file in self.files if file not in self.files_before]
        gone = [file for file in self.files_before if file not in self.files]
        return any(file["path"] in scripts for file in new) or any(map(is_script, gone))

    def outdated(self, base_number):
        """The finding that its author may not have seen the newest version."""
        if self.base is not None and base_number != self.base.number:
            told = "none" if base_number is None else base_number
            text = f"made from version {told}, and the newest is {self.base.number}"
            yield Finding("outdated", self.file_name, None, text)

    @property
    def bytes_digest(self):
        return bytes_digest_of(self.file_name, self.text, self.files)

    def write_archive(self, output):
        """Write the skill's folder as a zip."""
        write_zip(output, self.text, ((file, self.pieces(file)) for file in self.files))

    def pieces(self, file):
        with self.file.folder.places[file["path"]].open("rb") as opened:
            yield from pieces_of(opened)


def bytes_digest_of(name, text, files):
    """A SHA-256 over path, executable bit and bytes of every file, in the order of paths."""
    rows = {name: (False, sha256(text.encode()).hexdigest())}
    for file in files:
        rows[file["path"]] = file["is_executable"], file["digest"].removeprefix("sha256:")
    total = sha256()
    for path in sorted(rows, key=str.encode):
        is_executable, digest = rows[path]
        total.update(f"{digest} {'x' if is_executable else '-'} {path}\n".encode())
    return f"sha256:{total.hexdigest()}"


def digest_of(entry):
    """The digest of the version that publishing the entry would make."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {entry.DIGEST}", entry.digest_sources())
        return cursor.fetchone()[0]


@contextmanager
def written(kind, content, files=(), faults=None):
    """The path of a text in a temporary folder, with its files; adds what refuses to `faults`."""
    with TemporaryDirectory() as name:
        root = Path(name) / "sent"
        root.mkdir()
        path = root / (SKILL_MD if kind == "skill" else "persona.md")
        members = [
            Member(file["path"], opener(file["data"]), is_executable=file["executable"])
            for file in files
        ]
        try:
            write_members(members, root)
        except Refused as error:
            faults.append(f"files: {error}")
        path.write_bytes(content.encode())
        yield path


def opener(data):
    return lambda: BytesIO(data)


@contextmanager
def unzipped(file, faults=()):
    """The path of the SKILL.md of a zip, in a temporary folder.

    Raises UnusableText, which names `faults`, too.
    """
    with TemporaryDirectory() as name:
        root = Path(name) / "sent"
        root.mkdir()
        try:
            unzip(file, root)
            path = only_skill(root)
        except Refused as error:
            raise UnusableText("; ".join([*faults, str(error).removesuffix(".")])) from error
        yield path


def only_skill(root):
    """The path of the SKILL.md. Raises Refused."""
    found = [path for path in root.rglob("*") if is_skill_md(path.name)]
    if len(found) != 1 or found[0].parent not in {root, *root.iterdir()}:
        raise Refused(ONE_SKILL)
    [path] = found
    around = [other for other in root.iterdir() if other not in {path, path.parent}]
    if path.parent != root and not all(reason_to_leave_out(other.name) for other in around):
        raise Refused(ONE_SKILL)
    return path
