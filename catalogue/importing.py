"""Importing SKILL.md folders and persona files (contract 9), as they are found in the wild."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import transaction

from catalogue.frontmatter import Fields, Refused, as_slug, read_frontmatter, read_text
from catalogue.models import Persona, Skill, Status

MAX_PRICE_CENTS = 2**31 - 1
SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__"}
# Documents that stand beside persona files and are none.
NO_PERSONAS = {"readme.md", "license.md", "contributing.md", "changelog.md", "code_of_conduct.md"}


@dataclass
class Report:
    """What an import did; `refused` and `notes` hold lines that begin with a path."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list = field(default_factory=list)
    notes: list = field(default_factory=list)


class Importer:
    """Imports files of one kind; subclasses say which files, and what is in them."""

    model = None

    def __init__(self, *, draft=False, source=None):
        self.draft = draft
        self.source = source
        self.report = Report()

    def find(self, path):
        """The files below a path that are to be imported, in a stable order, as (root, file)."""
        path = Path(path)
        if path.is_file():
            return [(path.parent, path)]
        found = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
            found.extend((path, Path(folder) / name) for name in self.wanted(sorted(names)))
        return found

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
            self.report.refused.append(f"{path}: {error}")
        except ValidationError as error:
            reasons = "; ".join(
                f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()
            )
            self.report.refused.append(f"{path}: {reasons}")

    def read_and_save(self, root, path):
        if not path.resolve().is_relative_to(root.resolve()):
            raise Refused("a symbolic link that leads outside the imported path")
        text = read_text(path)
        frontmatter, body = read_frontmatter(text)
        fields = Fields(frontmatter)
        entry = self.entry_for(root, path, fields, self.values(fields, text, body))
        self.save(path, entry, fields)

    def entry_for(self, root, path, fields, values):
        """The entry that this file is: the one that it made before, or a new one.

        A file is known by its source, so that another source's entry is never overwritten.
        """
        source = self.source_of(root, path)
        slug = as_slug(fields.line("name")) or as_slug(self.fallback_name(path))
        if not slug:
            raise Refused("its name makes no slug: use a-z, 0-9 and hyphens")
        known = self.model.objects.defer("search")
        entry = (
            known.filter(source=source).first()
            or self.moved(known.filter(slug=slug, content=values["content"]))
            or self.model(slug=self.free_slug(slug, root, path, fields))
        )
        entry.was = None if entry.pk is None else state_of(entry)
        entry.source = source
        for name, value in values.items():
            setattr(entry, name, value)
        entry.title = fields.line("title") or " ".join(
            word.capitalize() for word in entry.slug.split("-")
        )
        entry.description = fields.line("description")
        for name in ("category", "author", "version", "license"):
            setattr(entry, name, fields.line(name))
        entry.tags, entry.runtimes = fields.words("tags"), fields.words("runtimes")
        # What staff have withdrawn stays withdrawn.
        if entry.status == Status.DRAFT and not self.draft:
            entry.status = Status.PUBLISHED
        return entry

    def moved(self, same):
        """The entry of the very same text whose own file is gone: the folder has moved."""
        entry = same.exclude(source="").first()
        return None if entry is None or Path(entry.source).exists() else entry

    def source_of(self, root, path):
        """Where the file comes from, the same for every run over the same files."""
        if self.source is None:
            return str(path.parent.resolve() / path.name)
        return f"{self.source}:{path.relative_to(root).as_posix()}"

    def free_slug(self, slug, root, path, fields):
        """The slug, or where another source has it, one that names the owner or a number."""
        owner = as_slug(fields.line("author") or self.owner_folder(root, path))[:30].strip("-")
        candidates = [slug, f"{slug}-{owner}" if owner else slug]
        candidates += [f"{candidates[1]}-{number}" for number in range(2, 1000)]
        taken = set(self.model.objects.filter(slug__startswith=slug).values_list("slug", flat=True))
        free = next(candidate for candidate in candidates if candidate not in taken)
        if free != slug:
            self.report.notes.append(f"{path}: the slug {slug} is taken, imported as {free}")
        return free

    def owner_folder(self, root, path):
        folder = path.parent.parent if self.model is Skill else path.parent
        return folder.name if folder != root and folder.is_relative_to(root) else ""

    def fallback_name(self, path):
        return path.parent.resolve().name

    @transaction.atomic
    def save(self, path, entry, fields):
        entry.full_clean(validate_constraints=False)
        if entry.was is None:
            entry.save()
            self.report.created += 1
        elif entry.was == state_of(entry):
            self.report.unchanged += 1
        else:
            # Only what a file holds: the counters beside it move while this runs.
            entry.save(update_fields=[*state_of(entry), "updated_at"])
            self.report.updated += 1


def state_of(entry):
    """The stored values that an import may change."""
    names = [
        *("title", "description", "category", "tags", "runtimes", "author", "version", "license"),
        *("content", "status", "source"),
        *(["price_cents"] if isinstance(entry, Persona) else []),
    ]
    return {name: getattr(entry, name) for name in names}


class SkillImporter(Importer):
    """Every folder that holds a SKILL.md, in any case; the whole text is the content."""

    model = Skill

    def wanted(self, names):
        return [name for name in names if name.lower() == "skill.md"][:1]

    def values(self, fields, text, body):
        return {"content": text}


class PersonaImporter(Importer):
    """Every Markdown file is a persona; what follows its frontmatter is the prompt."""

    model = Persona

    def wanted(self, names):
        return [
            name
            for name in names
            if name.lower().endswith(".md") and name.lower() not in NO_PERSONAS
        ]

    def fallback_name(self, path):
        return path.name.partition(".")[0]

    def values(self, fields, text, body):
        if not body.strip():
            raise Refused("no prompt after the frontmatter")
        return {"content": body, "price_cents": self.price(fields.line("priceCents") or "0")}

    def price(self, text):
        if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > MAX_PRICE_CENTS:
            raise Refused("priceCents must be a whole number of cents, 0 or more")
        return int(text)

    @transaction.atomic
    def save(self, path, entry, fields):
        super().save(path, entry, fields)
        wanted = fields.words("skills")
        bundled = Skill.objects.filter(slug__in=wanted).only("slug")
        entry.skills.set(bundled)
        missing = set(wanted) - {skill.slug for skill in bundled}
        for slug in sorted(missing):
            self.report.notes.append(f"{path}: bundles the skill {slug}, which does not exist")
