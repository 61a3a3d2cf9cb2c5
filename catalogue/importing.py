"""Importing SKILL.md folders and persona files (contract 9)."""

import os
import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from catalogue.frontmatter import Refused, as_slug, read_frontmatter, read_text
from catalogue.models import Persona, Skill, Status

MAX_PRICE_CENTS = 2**31 - 1
SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__"}
# Documents that stand beside persona files and are none.
NO_PERSONAS = {"readme.md", "license.md", "contributing.md", "changelog.md", "code_of_conduct.md"}
TEXTS = ["title", "description", "category", "author", "version", "license"]
# What an import may change of an entry that is there already.
IMPORTED = [*TEXTS, "tags", "runtimes", "content", "status"]


@dataclass
class Report:
    """What an import did; `refused` and `notes` hold lines that begin with a path."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def note(self, path, text):
        self.notes.append(f"{printable(path)}: {text}")

    def refuse(self, path, reason):
        self.refused.append(f"{printable(path)}: {reason}")


def printable(path):
    """A path as text, also where its bytes are not UTF-8."""
    return os.fsencode(path).decode(errors="replace")


class Importer:
    """Imports files of one kind; subclasses say which files, and what is in them.

    A file is known by its source: where it lies, or with a `source` by that name and its path
    below the imported one. Entries of another source are never touched.
    """

    model = None
    imported = IMPORTED

    def __init__(self, *, draft=False, source=None):
        self.draft = draft
        self.source = source
        self.report = Report()

    def find(self, path):
        """The files below a path that are to be imported, in a stable order, as (root, file)."""
        path = Path(path)
        if not path.is_dir():
            return [(path.parent, path)]
        found = []
        for folder, folders, names in os.walk(path, onerror=self.refuse_folder):
            for name in folders:
                self.note_link(path, Path(folder) / name)
            folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
            found.extend((path, Path(folder) / name) for name in self.wanted(sorted(names)))
        return found

    def refuse_folder(self, error):
        self.report.refuse(error.filename, error.strerror)

    def note_link(self, root, folder):
        """Links to folders are not followed; inside the path they lead to what is found anyway."""
        if folder.is_symlink() and not is_below(folder, root):
            self.report.note(folder, "a link to a folder outside the imported path, not followed")

    def wanted(self, names):
        """Which of a folder's files are to be imported."""
        raise NotImplementedError

    def values(self, fields, text, body):
        """The model's own values from a file."""
        raise NotImplementedError

    def import_file(self, root, path):
        """Import one file in a transaction of its own, and report on it."""
        try:
            self.read_and_save(root, path)
        except (Refused, OSError) as error:
            self.report.refuse(path, error)
        except IntegrityError:
            self.report.refuse(path, "its slug was taken while it was imported; import it again")
        except ValidationError as error:
            reasons = (f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items())
            self.report.refuse(path, "; ".join(reasons))

    def read_and_save(self, root, path):
        if not is_below(path, root):
            raise Refused("a symbolic link that leads outside the imported path")
        text = read_text(path)
        fields, body = read_frontmatter(text)
        with transaction.atomic():
            self.save(path, self.entry_for(root, path, fields), fields, text, body)

    def entry_for(self, root, path, fields):
        """The entry that this file made before, or a new one."""
        source = self.source_of(root, path)
        entry = self.model.objects.filter(source=source).first()
        if entry is None:
            slug = as_slug(fields.line("name")) or as_slug(self.fallback_name(path))
            if not slug:
                raise Refused("its name makes no slug: use a-z, 0-9 and hyphens")
            entry = self.model(slug=self.free_slug(slug, root, path, fields), source=source)
        return entry

    def source_of(self, root, path):
        """Where the file comes from, the same for every run over the same files."""
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

    def free_slug(self, slug, root, path, fields):
        """The slug, or where another source has it, one that names the owner or a number."""
        owner = as_slug(fields.line("author") or self.owner_folder(root, path))[:30].strip("-")
        named = f"{slug}-{owner}" if owner else slug
        numbered = (f"{named}-{number}" for number in count(2))
        free = next(
            candidate
            for candidates in ([slug], [named], numbered)
            for candidate in candidates
            if not self.model.objects.filter(slug=candidate).exists()
        )
        if free != slug:
            self.report.note(path, f"the slug {slug} is taken, imported as {free}")
        return free

    def owner_folder(self, root, path):
        """The name of the folder that groups an owner's entries, if there is one below the path."""
        folder = self.owner_of(path)
        return folder.name if folder != root and folder.is_relative_to(root) else ""

    def save(self, path, entry, fields, text, body):
        is_new = entry.pk is None
        before = {} if is_new else {name: getattr(entry, name) for name in self.imported}
        for name in TEXTS:
            setattr(entry, name, fields.line(name))
        entry.title = entry.title or " ".join(word.capitalize() for word in entry.slug.split("-"))
        entry.tags, entry.runtimes = fields.words("tags"), fields.words("runtimes")
        for name, value in self.values(fields, text, body).items():
            setattr(entry, name, value)
        # What staff have withdrawn stays withdrawn.
        if entry.status == Status.DRAFT and not self.draft:
            entry.status = Status.PUBLISHED
        entry.full_clean(validate_constraints=False)
        if is_new:
            entry.save()
            self.save_bundle(path, entry, fields)
            self.report.created += 1
            return
        changed = [name for name in self.imported if getattr(entry, name) != before[name]]
        if self.save_bundle(path, entry, fields) or changed:
            # Nothing else: counters move and staff withdraw while this runs.
            entry.save(update_fields=[*changed, "updated_at"])
            self.report.updated += 1
        else:
            self.report.unchanged += 1

    def save_bundle(self, path, entry, fields):
        """Whether what the entry bundles has changed; skills bundle nothing."""
        return False


def is_below(path, root):
    """Whether a path, its links followed, lies below the root."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


class SkillImporter(Importer):
    """Every folder that holds a SKILL.md, in any case; the whole text is the content."""

    model = Skill

    def wanted(self, names):
        return [name for name in names if name.lower() == "skill.md"][:1]

    def below(self, root, path):
        """With the folder's name also where the path is one skill's own folder."""
        below = path.relative_to(root)
        return below if len(below.parts) > 1 else path.parent.resolve().name / below

    def owner_of(self, path):
        return path.parent.parent

    def fallback_name(self, path):
        return path.parent.resolve().name

    def values(self, fields, text, body):
        return {"content": text}


class PersonaImporter(Importer):
    """Every Markdown file is a persona; what follows its frontmatter is the prompt."""

    model = Persona
    imported = [*IMPORTED, "price_cents"]

    def wanted(self, names):
        return [
            name
            for name in names
            if name.lower().endswith(".md") and name.lower() not in NO_PERSONAS
        ]

    def owner_of(self, path):
        return path.parent

    def fallback_name(self, path):
        return path.name.partition(".")[0]

    def values(self, fields, text, body):
        if not body.strip():
            raise Refused("no prompt after the frontmatter")
        return {"content": body, "price_cents": self.price(fields.get("priceCents"))}

    def price(self, value):
        if value is None:
            return 0
        # Whatever else stands there must not make a priced persona free.
        is_number = isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value)
        if not is_number or int(value) > MAX_PRICE_CENTS:
            raise Refused("priceCents must be a whole number of cents, 0 or more")
        return int(value)

    def save_bundle(self, path, entry, fields):
        wanted = fields.words("skills")
        skills = {skill.slug: skill for skill in Skill.objects.filter(slug__in=wanted).only("slug")}
        for slug in sorted(set(wanted) - set(skills)):
            self.report.note(path, f"bundles the skill {slug}, which does not exist")
        if {skill.pk for skill in entry.skills.only("pk")} == {s.pk for s in skills.values()}:
            return False
        entry.skills.set(skills.values())
        return True
