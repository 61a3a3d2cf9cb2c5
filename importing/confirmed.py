"""Importing what a person confirms after a preview: the importers of the commands, with both."""

import os
from contextlib import suppress

from django.contrib.admin.utils import label_for_field
from django.db import transaction
from django.utils.text import capfirst

from catalogue.comparisons import file_changes
from catalogue.frontmatter import Refused, read_frontmatter
from catalogue.models import Persona, Skill, Status
from catalogue.slugs import slug_of, title_of
from importing.base import taking_turns
from importing.doubts import doubt_about
from importing.exports import as_file
from importing.finding import ImportFile
from importing.importers import PersonaImporter, SkillImporter
from importing.inspecting import inspect
from importing.outcomes import FileReport, Outcome
from importing.reports import printable
from marketplace.diffs import Comparison, change_of

SOURCE = "admin"
# The fields that skills-ref, the validator of the format, knows. Clients ignore any other.
FORMAT_FIELDS = {"name", "description", "license", "compatibility", "allowed-tools", "metadata"}
MAX_SHOWN = 512 * 1024  # bytes of texts that a preview compares line by line
MAX_LINES = 10_000  # that it shows, because staff see them nowhere else before the import


class ConfirmedMixin:
    """A file changes the entry of its slug, whatever its source: staff confirm the change.

    Each file has a transaction of its own, so that no lock is held for longer than one file
    takes. A preview rolls it back. Otherwise `record` gets each Outcome in it. `ticked` and
    `published` are the paths that a person has ticked. With `draft`, agents get nothing else: new
    entries and drafts stay drafts, and published ones stay as they are.
    """

    def __init__(self, *, preview=True, record=None, draft=False, ticked=(), published=()):
        super().__init__(FileReport(), draft=draft, source=SOURCE)
        self.preview, self.record = preview, record
        self.ticked, self.published = set(ticked), set(published)
        self.paths = {}  # of the files so far, by slug
        self.room, self.comparison = MAX_SHOWN, Comparison(MAX_LINES)
        self.previewed_at = None  # when the person who confirms it saw the preview
        self.left_out = []  # (path, reason) of what belongs to no entry

    def run(self, root):
        """The outcome of each file below the root."""
        self.root, self.left_out = root, []
        files = {}
        for folder, path in self.find(root):
            # One link of several to the same file is enough.
            files.setdefault(os.path.realpath(path), (folder, path))
        return [self.import_file(folder, path) for folder, path in files.values()]

    def import_file(self, root, path):
        self.root, self.report = root, FileReport()
        outcome = Outcome(self.display_path(path))
        file = self.read(root, path)
        if file:
            with suppress(OSError):  # It is refused below.
                inspect(file)  # before others wait for it
        with taking_turns():
            if file:
                self.save_entry(file, outcome)
            outcome.result, outcome.reason = self.report.result, self.report.text
            outcome.is_doubtful = self.report.is_doubtful
            if self.preview:
                transaction.set_rollback(True)
            else:
                self.record(outcome)
        return outcome

    def save_entry(self, file, outcome):
        file.slug = self.slug_of(file)
        # Nobody saves it between the comparison and the update.
        existing = self.existing(file, self.model.objects.select_for_update(no_key=True))
        self.learn([file])
        self.existing_slugs = set()  # of this file alone: the next one may be for the same slug
        entry = existing or self.new_entry(file)
        if entry is None:
            return
        first = self.paths.setdefault(entry.slug, file.path)
        if first != file.path:
            self.report.refuse(
                file.path, f"the same slug as {self.display_path(first)}: {entry.slug}"
            )
        elif existing:
            self.update_existing(file, entry, outcome)
        elif self.create_alone(file, entry):
            self.save_bundle(file, entry)
            self.find_look_alikes([(file, entry)])
            self.report.created += 1
            outcome.entry = entry
            outcome.changes = [*self.text_changes(file, entry), *self.file_changes([], entry)]
            outcome.lacks_description = lacks_description(file)
            outcome.may_publish = not entry.is_published
        outcome.findings = self.report.findings

    def slug_of(self, file):
        return slug_of(file.fields.line("name")) or file.slug

    def existing(self, file, entries):
        """The entry that the file changes, of these entries; or None."""
        same_slug = entries.filter(slug=file.slug).first()
        return same_slug or entries.filter(source=file.source).first()

    def is_draft(self, file):
        return not self.is_ticked(file) and (self.draft or lacks_description(file))

    def is_ticked(self, file):
        return self.display_path(file.path) in self.published

    def inspect(self, file, entry):
        super().inspect(file, entry)
        doubt = doubt_about(file, self.repaired(file, entry).repairs)
        if doubt and self.display_path(file.path) not in self.ticked:
            self.report.is_doubtful = True
            raise Refused(doubt)

    def pasted(self, text):
        """`{field: value}` of the entry that a file with this text makes. Raises Refused."""
        fields, body = read_frontmatter(text)
        name = fields.line("name")
        slug = slug_of(name)
        values = {"slug": slug, **self.model.frontmatter_values(fields)}
        values["title"] = values["title"] or title_of(name, slug)
        return values | self.values(ImportFile(None, None, "", slug, fields, text, body))

    def text_changes(self, file, entry):
        """The text of a new file, and what its repairs change in it."""
        if not self.preview:
            return []
        name = file.path.name
        changes = [change_of(name, "", file.text, self.comparison)]
        return changes + self.repair_changes(file, entry)

    def repair_changes(self, file, entry):
        served = self.repaired(file, entry)
        if not (self.preview and served.repairs):
            return []
        return [change_of(self.served_as, file.text, served.text, self.comparison)]

    def file_changes(self, before, entry):
        if not self.preview:
            return []
        after = getattr(entry, "files", [])
        changes, self.room = file_changes(before, after, self.room, self.comparison)
        return changes

    def update_existing(self, file, entry, outcome):
        outcome.entry, outcome.is_published = entry, entry.is_published
        outcome.updated_at = entry.updated_at
        changes_files = file.folder is not None and file.folder.files != entry.files
        if as_file(entry) == file.text and not (changes_files or entry.is_outdated):
            # An export of an entry changes nothing, even where its frontmatter was written anew.
            return
        before, files = self.values_by_name(entry), getattr(entry, "files", [])
        with transaction.atomic():
            if not self.preview:
                entry.snapshot_before_change()
            self.update(file, entry)
            if self.report.updated and self.undoes(file, entry, outcome):
                transaction.set_rollback(True)
        if self.report.refused or outcome.is_left:
            return
        if self.preview:
            self.look_at_version(entry, outcome)
        after = self.values_by_name(entry)
        outcome.changes = [
            change_of(capfirst(name), before[name], after[name], self.comparison)
            for name in after
            if before[name] != after[name]
        ]
        outcome.changes += [*self.repair_changes(file, entry), *self.file_changes(files, entry)]

    def undoes(self, file, entry, outcome):
        """Whether an update has to be undone, because nobody has seen or ticked what it does."""
        # What this upload has already changed, before its import was interrupted, is no change.
        if self.previewed_at and outcome.updated_at > self.previewed_at:
            self.report.refuse(file.path, f"{entry.slug} has changed since the preview")
        elif self.draft and outcome.is_published and not (self.preview or self.is_ticked(file)):
            self.report.updated, self.report.unchanged, outcome.is_left = 0, 1, True
        return self.report.refused or outcome.is_left

    def look_at_version(self, entry, outcome):
        """Set what a tick would do: the number that the entry has after the update."""
        number, entry.number = entry.number, number_of(entry)
        outcome.makes_version = outcome.is_published and entry.number != number
        outcome.may_publish = entry.status != Status.WITHDRAWN

    def values_by_name(self, entry):
        """The values that an import may change, by the names that staff read."""
        names = [name for name in self.import_fields if name != "files"]
        values = {label_for_field(name, entry): getattr(entry, name) for name in names}
        if not isinstance(entry, Skill):
            values["skills"] = sorted(skill.slug for skill in entry.skills.only("slug"))
        return values

    def leave_out(self, path, reason):
        self.left_out.append((path, reason))

    def display_path(self, path):
        return printable(path.relative_to(self.root))


def number_of(entry):
    """The stored number, which a trigger may have raised since the entry was read."""
    return type(entry).objects.values_list("number", flat=True).get(pk=entry.pk)


def lacks_description(file):
    return not file.fields.line("description")


class ConfirmedSkillImporter(ConfirmedMixin, SkillImporter):
    example = (
        "---\nname: pdf-tables\ndescription: Reads tables out of PDF files. Use it when …\n---\n\n"
        "# Instructions\n"
    )
    single_file = "SKILL.md"
    looks_for = "SKILL.md"
    served_as = "SKILL.md as agents get it"
    advice = "Put each skill into a folder of its own, as SKILL.md, or upload its file alone."

    def inspect(self, file, entry):
        super().inspect(file, entry)
        names = set(read_frontmatter(entry.repaired.text)[0].fields) - FORMAT_FIELDS
        if names:
            self.report.note(file.path, f"strict validators refuse: {', '.join(sorted(names))}")


class ConfirmedPersonaImporter(ConfirmedMixin, PersonaImporter):
    example = (
        "---\nname: archivist\ntitle: Archivist\nskills: [pdf-tables]\npriceCents: 0\n---\n\n"
        "You are an archivist …\n"
    )
    single_file = "{}.md"
    looks_for = "persona file"
    served_as = "Subagent as agents get it"
    advice = ""

    def pasted(self, text):
        values = super().pasted(text)
        skills = read_frontmatter(text)[0].words("skills")
        return values | {"skills": Skill.objects.filter(slug__in=skills).only("slug")}


IMPORTERS = {Skill: ConfirmedSkillImporter, Persona: ConfirmedPersonaImporter}
