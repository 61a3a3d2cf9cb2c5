"""Importing files into the catalogue (contract 23)."""

from collections import Counter
from contextlib import contextmanager
from itertools import chain, count, islice

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import prefetch_related_objects

from audit.models import AuditEvent
from catalogue.frontmatter import Refused, read_frontmatter, read_text
from catalogue.inspection import refusals
from catalogue.models import (
    MAX_LABELS,
    FileContent,
    Spellings,
    Status,
    look_alike_finding,
    look_alikes,
)
from catalogue.slugs import as_slug, title_of
from importing.finding import Finder, ImportFile
from importing.folders import is_below
from importing.inspecting import check_strictly, findings_of
from importing.reports import all_of, reason_of

BATCH = 50  # files per transaction, for which a page of the desk may wait
MAINTENANCE = 100  # files, a multiple of BATCH, after which the table's indexes are maintained
NO_SLUG = "no slug can be made from its name: use a-z, 0-9 and hyphens"


@contextmanager
def taking_turns():
    """A transaction that waits for all other imports.

    Two that store the same contents would wait for each other, and two that import the same folder
    would mix their files.
    """
    with transaction.atomic():
        FileContent.objects.take_turn()
        yield


class Importer(Finder):
    """Imports files of one kind. Subclasses define which files, and how to read them.

    A file is identified by its source: its absolute path, or `source` and its path below the
    imported folder. Entries of another source are never changed.
    """

    model = None
    own_fields = []  # fields of this kind that an import may change
    bundles = []  # the relations that `save_bundle` reads, as prefetches

    def __init__(self, report, *, draft=False, source=None, strict=False):
        self.report = report
        self.draft = draft
        self.source = source
        self.strict = strict
        self.spellings = Spellings(self.model)
        self.changed = []  # (slug, "created" or "updated") of entries

    @property
    def import_fields(self):
        """The fields of an existing entry that an import may change."""
        return [*self.model.frontmatter_fields(), "content", "status", *self.own_fields]

    def read_beside(self, path):
        """The folder of a file; a persona's file has none. Raises Refused."""

    def values(self, file):
        """The model's own values from a file."""
        raise NotImplementedError

    def repaired(self, file, entry):
        """The Repaired text of a file, as agents get it."""
        raise NotImplementedError

    def store(self, file):
        """Store what the entry refers to, before the entry is saved. Raises Refused."""

    def import_files(self, files):
        """Import (root, path) pairs as they come; yields the number of each batch."""
        files, done = iter(files), 0
        while batch := list(islice(files, BATCH)):
            self.import_batch([file for root, path in batch if (file := self.read(root, path))])
            done += len(batch)
            if done % MAINTENANCE == 0:
                self.model.objects.maintain_indexes()
            yield len(batch)

    def read(self, root, path):
        """The file, or None if it is refused; the report says why."""
        try:
            file = self.parse(root, path)
            problems = self.problems_of(file)
        except (Refused, OSError) as error:
            problems = [reason_of(error)]
        if problems:
            self.report.refuse(path, "; ".join(problems))
            return None
        return file

    def parse(self, root, path):
        """The file without those beside it. Raises Refused, or OSError."""
        if path.is_symlink() and not is_below(path, root):
            raise Refused("a symbolic link that leads outside the imported path")
        fields, body = read_frontmatter(text := read_text(path))
        slug = as_slug(fields.line("name")) or as_slug(self.fallback_name(path))
        values, source = self.model.frontmatter_values(fields), self.source_of(root, path)
        return ImportFile(root, path, source, slug, fields, text, body, values=values)

    def problems_of(self, file):
        """Read the folder of the file; returns why the text and the folder are refused."""
        reasons = refusals(file.path.name, file.text)
        problems = [f"delete what nobody can see: {all_of(reasons)}"] if reasons else []
        try:
            file.folder = self.read_beside(file.path)
        except (Refused, OSError) as error:
            problems.append(reason_of(error))
        return problems

    def import_batch(self, files):
        """Import files in one transaction, and create new entries in one statement."""
        with taking_turns():
            sources = [file.source for file in files]
            entries = self.model.objects.filter(source__in=sources).prefetch_related(*self.bundles)
            maintained = dict(self.model.objects.maintained(sources))
            existing = {entry.source: entry for entry in entries}
            slugs = self.model.objects.filter(slug__in=[file.slug for file in files])
            self.existing_slugs = set(slugs.values_list("slug", flat=True))
            self.learn(files)
            new = {}
            for file in files:
                if file.source in new:
                    self.report.unchanged += 1  # the same file under two paths
                elif file.source in maintained:
                    self.report.note(file.path, f"maintained by {maintained[file.source]}")
                    self.report.unchanged += 1
                elif file.source in existing:
                    self.update(file, existing[file.source])
                elif entry := self.new_entry(file):
                    new[file.source] = (file, entry)
            self.create(new.values())
            self.record_batch()

    def record_batch(self):
        """Record what the transaction has changed."""
        changed, self.changed = self.changed, []
        if changed:
            kind, names = self.model.kind, [slug for slug, _ in changed]
            counts = Counter(result for _, result in changed)
            AuditEvent.objects.record(f"import_{kind}s", kind=kind, names=names, **counts)

    def learn(self, files):
        """Read once what is about all of these files."""
        self.spellings.learn(file.values for file in files)

    def update(self, file, entry):
        before = {name: getattr(entry, name) for name in self.import_fields}
        if not self.fill(file, entry):
            return
        names = [name for name in self.import_fields if getattr(entry, name) != before[name]]
        if entry.is_outdated and "content" not in names:
            names.append("content")  # which is repaired again
        if names and not self.has_good_text(file, entry):
            return
        if self.save_bundle(file, entry) or names:
            # Only these, because counters move and staff withdraw entries meanwhile.
            entry.save(update_fields=[*names, "updated_at"])
            self.changed.append((entry.slug, "updated"))
            self.report.updated += 1
        else:
            self.report.unchanged += 1

    def has_good_text(self, file, entry):
        """Whether its text may be published; if not, the file is refused."""
        try:
            entry.check_text()
        except ValidationError as error:
            self.report.refuse(file.path, " ".join(error.messages))
            return False
        return True

    def create(self, new):
        try:
            with transaction.atomic():
                self.model.objects.bulk_create(entry for _, entry in new)
        except IntegrityError:
            new = [(file, entry) for file, entry in new if self.create_alone(file, entry)]
        prefetch_related_objects([entry for _, entry in new], *self.bundles)
        for file, entry in new:
            self.save_bundle(file, entry)
            self.changed.append((entry.slug, "created"))
            self.report.created += 1
        self.find_look_alikes(new)

    def find_look_alikes(self, new):
        """Report slugs that look like published ones, those of the same batch included."""
        published = look_alikes(self.model, [entry.slug for _, entry in new])
        for file, entry in new:
            if other := published.get(entry.slug):
                finding = look_alike_finding(file.path.name, entry.slug, other)
                self.report.find(file.path.parent, [finding])

    def create_alone(self, file, entry):
        """Whether the entry was created; its slug may have been taken meanwhile."""
        try:
            with transaction.atomic():
                entry.save(force_insert=True)
        except IntegrityError:
            if self.has_good_text(file, entry):
                reason = "its slug was taken while it was imported; import it again"
                self.report.refuse(file.path, reason)
            return False
        return True

    def new_entry(self, file):
        """The unsaved entry of a file; None if it is refused."""
        if not file.slug:
            self.report.refuse(file.path, NO_SLUG)
            return None
        entry = self.model(slug=self.free_slug(file), source=file.source)
        if not self.fill(file, entry):
            return None
        self.existing_slugs.add(entry.slug)
        return entry

    def free_slug(self, file):
        """The file's slug; if another source has it, one with the owner's name or a number."""
        if file.slug not in self.existing_slugs:
            return file.slug
        owner = as_slug(file.fields.line("author") or self.owner_folder(file.root, file.path))
        owner = owner[:30].strip("-")
        with_owner = f"{file.slug}-{owner}" if owner else file.slug
        with_numbers = (f"{with_owner}-{number}" for number in count(2))
        free = next(
            slug
            for slug in chain([with_owner], with_numbers)
            if slug not in self.existing_slugs and not self.model.objects.filter(slug=slug).exists()
        )
        self.report.note(file.path, f"the slug {file.slug} is taken, imported as {free}")
        return free

    def fill(self, file, entry):
        """Set the entry's fields from the file; False if it is refused."""
        for name, value in self.spellings.of(file.values).items():
            setattr(entry, name, self.shortened(file, name, value))
        entry.title = entry.title or title_of(file.fields.line("name"), file.slug)
        # A withdrawn entry stays withdrawn.
        if entry.status == Status.DRAFT and not self.is_draft(file):
            entry.status = Status.PUBLISHED
        try:
            for name, value in self.values(file).items():
                setattr(entry, name, value)
            entry.full_clean(validate_unique=False, validate_constraints=False)
            self.inspect(file, entry)
            self.store(file)
        except (Refused, OSError) as error:
            self.report.refuse(file.path, reason_of(error))
        except ValidationError as error:
            reasons = (f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items())
            self.report.refuse(file.path, "; ".join(reasons))
        else:
            return True
        return False

    def is_draft(self, file):
        """Whether an entry stays a draft if it is new, or has been one."""
        return self.draft

    def inspect(self, file, entry):
        """Report the findings of a file. Raises Refused if it is strict about one of them."""
        entry.file_findings = findings = findings_of(file, self.facts(file, entry))
        self.report.find(file.path.parent, findings)
        if self.strict:
            check_strictly(findings)

    def facts(self, file, entry):
        left_out = file.folder.left_out if file.folder else ()
        facts = entry.facts(self.repaired(file, entry).repairs)
        return facts._replace(left_out=tuple(left_out))

    def shortened(self, file, name, value):
        """As many labels as an entry may have; the report says if there are more."""
        if name in self.model.LIST_FIELDS and len(value) > MAX_LABELS:
            self.report.note(file.path, f"kept the first {MAX_LABELS} of {len(value):,} {name}")
            return value[:MAX_LABELS]
        return value

    def save_bundle(self, file, entry):
        """Save what the entry bundles; True if that changed. Skills bundle nothing."""
        return False
