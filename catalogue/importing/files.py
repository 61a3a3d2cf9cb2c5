"""Entries as files: reading what staff upload, and writing what they export, in the same format."""

import io
import stat
import zipfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import yaml
from django.db import transaction

from catalogue.importing.frontmatter import MAX_BYTES, Refused, as_slug, read_frontmatter
from catalogue.importing.importers import TEXTS, PersonaImporter, Report, SkillImporter, printable
from catalogue.models import Skill, is_slug
from marketplace.adminsite.history import shown_change

MAX_UPLOAD = 10 * 1024 * 1024
MAX_UNPACKED = 50 * 1024 * 1024
MAX_FILES = 1000
MAX_MEMBERS = 10_000  # of a zip: whatever else lies beside the Markdown files
MAX_PATH = 400  # characters
SOURCE = "admin"
EXPORT_BATCH = 200


def as_file(entry):
    """The entry as its importer reads it: the content itself where it says all, else with fields.

    A skill's content is its whole file. What staff changed in the form alone is not in it, and
    then its frontmatter is written anew.
    """
    if isinstance(entry, Skill):
        try:
            fields, body = read_frontmatter(entry.content)
        except Refused:
            fields, body = None, entry.content
        if fields is not None and says_all(fields, entry):
            return entry.content
        return with_frontmatter(known_fields(entry, fields), body)
    return with_frontmatter(
        known_fields(entry, None)
        | {"skills": sorted(skill.slug for skill in entry.skills.all())}
        | ({"priceCents": entry.price_cents} if entry.price_cents else {}),
        entry.content,
    )


def says_all(fields, entry):
    """Whether a file's frontmatter would make the very fields that the entry has."""
    title = fields.line("title") or plain_title(entry.slug)
    return (
        (as_slug(fields.line("name")) or entry.slug) == entry.slug
        and title == entry.title
        and all(fields.line(name) == getattr(entry, name) for name in TEXTS if name != "title")
        and fields.words("tags") == entry.tags
        and fields.words("runtimes") == entry.runtimes
    )


def plain_title(slug):
    return " ".join(word.capitalize() for word in slug.split("-"))


def known_fields(entry, fields):
    """The entry's own fields, and of a frontmatter whatever else it holds."""
    other = {} if fields is None else dict(fields.fields)
    for name in [*TEXTS, "name", "tags", "runtimes"]:
        other.pop(name, None)
    if isinstance(other.get("metadata"), dict):
        other["metadata"] = {
            name: value
            for name, value in other["metadata"].items()
            if name not in {*TEXTS, "tags", "runtimes"}
        }
    known = {"name": entry.slug} | {name: getattr(entry, name) for name in TEXTS}
    return known | {"tags": entry.tags, "runtimes": entry.runtimes} | other


def with_frontmatter(fields, body):
    kept = {name: value for name, value in fields.items() if value not in ("", [], {})}
    text = yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=10**6)
    return f"---\n{text}---\n\n{body.strip(chr(10))}\n"


def export(entries, file):
    """Write a zip with each entry's file: a folder with a SKILL.md, or a persona's Markdown."""
    is_skill = entries.model is Skill
    entries = entries.order_by("pk")
    if not is_skill:
        entries = entries.prefetch_related("skills")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        last = 0
        while batch := list(entries.filter(pk__gt=last)[:EXPORT_BATCH]):
            for entry in batch:
                name = f"{entry.slug}/SKILL.md" if is_skill else f"{entry.slug}.md"
                archive.writestr(name, as_file(entry))
            last = batch[-1].pk


@contextmanager
def unpacked(name, data, importer):
    """The folder of an upload, which goes when it is left. Raises Refused, in one sentence."""
    if len(data) > MAX_UPLOAD:
        raise Refused(f"The file is larger than {MAX_UPLOAD // 1024**2} MiB.")
    with TemporaryDirectory() as folder:
        stem = as_slug(PurePosixPath(name).stem) or "upload"
        if name.lower().endswith(".zip"):
            root = Path(folder) / stem
            root.mkdir()
            unzip(data, root)
        elif name.lower().endswith(".md"):
            named = named_folder(data, stem)
            root = Path(folder) / named
            root.mkdir()
            (root / importer.single_file.format(named)).write_bytes(data)
        else:
            raise Refused("Upload a Markdown file (.md) or a zip of them.")
        if next(importer.find(root), None) is None:
            raise Refused(f"The zip holds no {importer.looks_for}.")
        yield root


def named_folder(data, stem):
    """What a single file is named by: the name that it gives itself, or else its own."""
    try:
        fields, _ = read_frontmatter(data.decode(errors="replace").replace("\r\n", "\n"))
    except Refused:
        return stem
    return as_slug(fields.line("name")) or stem


def unzip(data, root):
    """The Markdown files of a zip. Raises Refused for whatever else it might do."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                raise Refused(f"The zip holds more than {MAX_MEMBERS:,} files.")
            wanted = [member for member in members if is_wanted(member)]
            if len(wanted) > MAX_FILES:
                raise Refused(f"The zip holds more than {MAX_FILES:,} Markdown files.")
            left = MAX_UNPACKED
            for member in wanted:
                left -= write_member(archive, member, root, left)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError) as error:
        # RuntimeError is a password; NotImplementedError a compression that nobody uses.
        raise Refused("The file is no zip that can be read.") from error
    except (OSError, ValueError, EOFError) as error:
        raise Refused("The zip holds a file name or data that cannot be read.") from error


def is_wanted(member):
    """Whether it is a Markdown file. Raises Refused for a path that leads outside, or a link."""
    path = PurePosixPath(member.filename)
    if (
        path.is_absolute()
        or ".." in path.parts
        or len(member.filename) > MAX_PATH
        or any(character in member.filename for character in "\\:\0")
    ):
        raise Refused(f"The zip holds a path that is not allowed: {printable(str(path))[:100]}")
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise Refused(f"The zip holds a link or a device: {printable(str(path))[:100]}")
    return not member.is_dir() and path.suffix.lower() == ".md" and "__MACOSX" not in path.parts


def write_member(archive, member, root, left):
    """Write one file and say its size; what a zip claims its sizes to be is not believed."""
    with archive.open(member) as packed:
        # One byte more than may be: the importer then refuses this file alone.
        text = packed.read(min(MAX_BYTES, left) + 1)
    if len(text) > left:
        raise Refused(f"The zip unpacks to more than {MAX_UNPACKED // 1024**2} MiB.")
    path = root / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return len(text)


@dataclass
class Outcome:
    """What became of one file, or what would."""

    path: str
    kind: str  # created, updated, unchanged, refused
    entry: object = None
    reason: str = ""
    changes: list = field(default_factory=list)


class NotKept(Exception):
    """Ends the transaction of a file that is only previewed."""


class Told(Report):
    """Keeps what is said of one file, without its path."""

    def __init__(self):
        super().__init__(tell=None)
        self.texts = []

    def note(self, path, text):
        self.texts.append(text)

    def refuse(self, path, reason):
        self.refused += 1
        self.texts.append(str(reason))


class AdminImport:
    """Importing in the admin: the commands' own importer, with two differences.

    A file changes the entry of its slug wherever that came from, because a person sees what it
    would change; and a preview keeps nothing. Each file is a transaction of its own either way,
    so that a preview holds no lock for longer than one file takes.
    """

    def __init__(self, *, keep, draft=False):
        super().__init__(tell=None, draft=draft, source=SOURCE)
        self.report = Told()
        self.keep = keep
        self.paths = {}  # by the slug that each was for

    def run(self, root):
        return [self.outcome_of(folder, path) for folder, path in self.find(root)]

    def outcome_of(self, root, path):
        self.root = root
        self.report.texts.clear()
        outcome = Outcome(self.shown(path), "refused")
        with suppress(NotKept), transaction.atomic():
            if file := self.read(root, path):
                self.import_alone(file, outcome)
            if not self.keep:
                raise NotKept
        outcome.reason = "; ".join(self.report.texts)
        return outcome

    def import_alone(self, file, outcome):
        name = file.fields.line("name")
        # A slug that staff have written may be longer than those that are made from names.
        file.slug = name if is_slug.regex.search(name) else file.slug
        found = self.model.objects.filter(slug=file.slug).first()
        found = found or self.model.objects.filter(source=file.source).first()
        self.taken = set()  # of this file alone, because the next one may be for the same slug
        entry = found or self.new_entry(file)
        if entry is None:
            return
        first = self.paths.setdefault(entry.slug, file.path)
        if first != file.path:
            self.report.refuse(file.path, f"the same slug as {self.shown(first)}: {entry.slug}")
        elif found:
            self.change(file, entry, outcome)
        elif self.create_alone(file, entry):
            self.save_bundle(file, entry)
            outcome.kind, outcome.entry = "created", entry

    def change(self, file, entry, outcome):
        outcome.entry, outcome.kind = entry, "unchanged"
        if as_file(entry) == file.text:
            # What was exported says nothing new, also where its fields were written anew for it.
            return
        before, updated, refused = (
            self.shown_values(entry),
            self.report.updated,
            self.report.refused,
        )
        if self.keep:
            self.model.objects.get(pk=entry.pk).keep_history(reason="As it was found")
        self.update(file, entry)
        if self.report.refused > refused:
            outcome.kind = "refused"
            return
        if self.report.updated > updated:
            outcome.kind = "updated"
        after = self.shown_values(entry)
        outcome.changes = [
            shown_change(name, before[name], after[name])
            for name in after
            if before[name] != after[name]
        ]

    def shown_values(self, entry):
        """What an import may change of an entry, by the names that people know."""
        fields = [entry._meta.get_field(name) for name in self.imported]  # noqa: SLF001
        values = {field.verbose_name: getattr(entry, field.name) for field in fields}
        if not isinstance(entry, Skill):
            values["skills"] = sorted(skill.slug for skill in entry.skills.only("slug"))
        return values

    def shown(self, path):
        return printable(path.relative_to(self.root))


class AdminSkillImport(AdminImport, SkillImporter):
    single_file = "SKILL.md"
    looks_for = "SKILL.md"


class AdminPersonaImport(AdminImport, PersonaImporter):
    single_file = "{}.md"
    looks_for = "persona file"

    def wanted(self, names):
        """Not the skills of a zip that holds both."""
        return [name for name in super().wanted(names) if name.lower() != "skill.md"]
