"""Applying the changes of a source to the catalogue, one entry at a time (contract 30)."""

from collections import Counter
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from audit.models import AuditEvent
from catalogue.frontmatter import Refused
from importing.base import taking_turns
from marketplace.acting import acting, current_act
from marketplace.models import MAX_REASON
from sources.desk import DeskMixin
from sources.discovery import Discovery
from sources.file_importers import PROPOSING, PUBLISHING
from sources.file_proposals import FileProposal
from sources.inventory import Inventory
from sources.models import UNREADABLE, ReviewedIn, SourceFile
from sources.withdrawing import WithdrawingMixin
from submissions.exceptions import NothingHasChanged, UnusableText
from submissions.models import SubmittedVersion
from submissions.models.submissions import MODELS


class Sync(DeskMixin, WithdrawingMixin):
    """One run over the files of a source's ref, as Fetched."""

    def __init__(self, source, fetched):
        self.source, self.fetched, self.root = source, fetched, fetched.folder
        self.now = timezone.now()
        self.counts = Counter()
        self.publishing = {kind: new(source, self.root) for kind, new in PUBLISHING.items()}
        self.proposing = {kind: new(source, self.root) for kind, new in PROPOSING.items()}

    def run(self):
        """Sync every file, as one event of the audit trail; returns the source.

        Raises Interrupted.
        """
        act = current_act()
        with acting(act.kind, act.name, as_one=True):
            return self.sync_files()

    def sync_files(self):
        discovery = Discovery(self.source, self.root, self.proposing)
        files = [] if discovery.gone else discovery.run()
        inventory = Inventory(self.source, self.root, self.proposing, self.fetched.findings)
        self.rows = SourceFile.objects.observe(self.source, inventory.run(files), self.now)
        self.counts.update({"copies": inventory.copies} if inventory.copies else {})
        self.unsettle_moved()
        for row in self.rows:
            if not row.is_gone and row.bytes_digest != UNREADABLE:
                self.sync_file(row)
        reason = self.withdraw_gone(discovery.gone)
        self.take_back()
        self.source.files.all().delete_spent()
        findings = [*self.fetched.findings, *discovery.findings, *inventory.findings, *self.notes()]
        layouts = Counter(f"{file.kind}s in {file.place}" for file in files)
        self.source.record(self.fetched, self.counts, layouts, findings, reason)
        return self.source

    def notes(self):
        return [(row.path, row.note) for row in self.rows if row.note and not row.is_gone]

    # One file

    def sync_file(self, row):
        if row.is_settled:
            self.counts["unchanged"] += 1
        elif self.now < row.seen_at + timedelta(hours=self.source.wait_hours):
            self.counts["waiting"] += 1
        else:
            self.handle(row)

    def handle(self, row):
        """Publish or propose the file in a transaction of its own, or note why that fails."""
        try:
            with taking_turns():
                self.source.lock()
                self.publish_or_propose(row)
        except (Refused, UnusableText) as error:
            self.refuse(row, str(error))
        except ValidationError as error:
            self.refuse(row, " ".join(error.messages))

    def refuse(self, row, reason):
        self.counts["refused"] += 1
        row.save_values(note=reason[:MAX_REASON])

    def publish_or_propose(self, row):
        entries, source = MODELS[row.kind].objects, self.source.entry_source(row.path)
        entry = entries.select_for_update(no_key=True).filter(source=source).first()
        maintained = {} if entry else dict(entries.maintained([source]))
        if maintained:
            raise Refused(f"maintained by {maintained[source]}")
        is_own = entry is None or entry.is_published or row.has_withdrawn(entry)
        is_reviewed = self.source.review == ReviewedIn.GIT and is_own
        if not (is_reviewed and self.publish(row, entry)):
            self.propose(row, entry)

    def publish(self, row, entry):
        """Publish it unless staff should read it first; returns whether it was published."""
        importer, number = self.publishing[row.kind], entry.number if entry else 0
        with transaction.atomic():
            outcome = importer.import_file(self.root, self.root / row.path)
            if outcome.result == "refused":
                transaction.set_rollback(True)
        if importer.needs_review:
            return False
        if outcome.result == "refused":
            raise Refused(outcome.reason)
        is_back = not outcome.entry.is_published
        if is_back:
            outcome.entry.publish()  # It was gone.
        if is_back or outcome.result != "unchanged":
            self.record(row.kind, outcome.entry.slug, published=1)
        self.keep_commit(outcome, number)
        self.withdraw_pending(row)
        row.settle(note=outcome.reason)
        return True

    def keep_commit(self, outcome, number):
        """Record the commit of the version that this made, if it made one."""
        entry = outcome.entry
        entry.refresh_from_db(fields=["number"])
        if entry.number == number:
            self.counts["unchanged"] += 1
            return
        self.counts["published"] += 1
        SubmittedVersion.objects.create(
            **{f"{entry.kind}_version": entry.versions.only("pk").get(number=entry.number)},
            submitted_by=self.source.author,
            commit=self.fetched.commit,
        )
        if number:
            reason = f"Published from {self.source.author} at {self.fetched.commit}"
            entry.take_snapshot(reason=reason, is_event=True)

    # Proposing

    def propose(self, row, entry):
        if not self.may_propose():
            return
        proposal = FileProposal(self.proposing[row.kind], self.root, self.root / row.path, entry)
        try:
            proposal.check(entry, entry and entry.number)
        except NothingHasChanged:
            self.counts["unchanged"] += 1
            self.withdraw_pending(row)
        else:
            self.submit(row, proposal)
        row.settle(note="; ".join(proposal.importer.report.notes))

    def record(self, kind, slug, **counts):
        """Record a change of this run in the audit trail, where the run is one event."""
        AuditEvent.objects.record("sync", self.source, also=[f"{kind} {slug}"], **counts)
