"""Importing the files of a source. They change only the source's own entries (contract 30)."""

from catalogue.findings import renamed
from catalogue.frontmatter import Refused
from importing.confirmed import ConfirmedPersonaImporter, ConfirmedSkillImporter
from submissions.models import Submission
from submissions.proposals import ProposedSkillImporter
from submissions.staff_fields import keep_fields
from submissions.trust import has_known_findings


class FromSourceMixin:
    """A file makes a new entry, or changes the one that it has made."""

    def __init__(self, source, root):
        super().__init__(preview=False, record=lambda _outcome: None)
        self.followed, self.root = source, root

    def source_of(self, root, path):
        return self.followed.entry_source(path.relative_to(root).as_posix())

    def fallback_name(self, path):
        return self.followed.name if path.parent == self.root else super().fallback_name(path)

    def existing(self, file, entries):
        entry = entries.filter(source=file.source).first()
        if entry:
            keep_fields(file, entry)
        return entry

    def new_entry(self, file):
        same = self.model.objects.filter(slug=file.slug)
        self.existing_slugs = set(same.values_list("slug", flat=True))
        return super().new_entry(file)

    def owner_folder(self, root, path):
        return self.followed.name


class PublishingMixin(FromSourceMixin):
    """Publishes a file, unless staff should read it first: then it `needs_review`."""

    needs_review = False

    def import_file(self, root, path):
        self.needs_review = False
        outcome = super().import_file(root, path)
        self.needs_review = self.needs_review or outcome.is_doubtful
        return outcome

    def inspect(self, file, entry):
        super().inspect(file, entry)
        findings = renamed(self.report.findings, file.path.name, entry.file_name)
        findings += [] if entry.pk else entry.look_alikes()
        published = self.model.objects.get(pk=entry.pk) if entry.pk else None
        if not has_known_findings(findings, published):
            self.needs_review = True
            raise Refused("staff read this first")


class ProposingMixin(FromSourceMixin):
    """Reads a file for a proposal."""

    def slug_of_new(self, file):
        """The slug of the entry that publishing the file would make; "" if it has no name."""
        file.slug = self.slug_of(file)
        if not file.slug:
            return ""
        same = self.model.objects.filter(slug=file.slug)
        # Sources may propose several entries of one slug.
        proposed = Submission.objects.pending().filter(source__isnull=False, slug=file.slug)
        proposed = proposed.filter(kind=self.model.kind).exclude(
            source=self.followed, path=file.path.relative_to(self.root)
        )
        self.existing_slugs = {
            *same.values_list("slug", flat=True),
            *proposed.values_list("slug", flat=True),
        }
        return self.free_slug(file)


class PublishingSkillImporter(PublishingMixin, ConfirmedSkillImporter):
    pass


class PublishingPersonaImporter(PublishingMixin, ConfirmedPersonaImporter):
    pass


class ProposingSkillImporter(ProposingMixin, ProposedSkillImporter):
    pass


class ProposingPersonaImporter(ProposingMixin, ConfirmedPersonaImporter):
    pass


PUBLISHING = {"skill": PublishingSkillImporter, "persona": PublishingPersonaImporter}
PROPOSING = {"skill": ProposingSkillImporter, "persona": ProposingPersonaImporter}
