"""What a source has on the desk: the submissions of its files (contract 30.6)."""

from django.db import transaction

from sources.models import TAKEN_BACK
from submissions.models import Submission
from submissions.models.from_source import Origin
from submissions.models.submissions import MODELS

MAX_PROPOSALS = 20  # of a run


class DeskMixin:
    """For a Sync: proposes changes, and takes them back."""

    def may_propose(self):
        """Whether this run may send another change to the desk. The next runs send the rest."""
        if self.counts["proposed"] < MAX_PROPOSALS:
            return True
        self.counts["later"] += 1
        return False

    def submit(self, row, proposal):
        origin = Origin(self.source, row.path, self.fetched.commit)
        submission, is_new = Submission.objects.submit_from(origin, proposal)
        self.counts["proposed" if is_new else "unchanged"] += 1
        if is_new:
            self.record(submission.kind, submission.slug, proposed=1)

    def withdraw_pending(self, row):
        """Withdraw the pending submission of this file, because the catalogue has its text."""
        for submission in self.pending(kind=row.kind, path=row.path).for_list():
            self.withdraw_submission(submission)

    def withdraw_submission(self, submission):
        if submission.withdraw():
            self.record(submission.kind, submission.slug, taken_back=1)

    def unsettle_moved(self):
        """Propose again what is on the desk if its entry has moved since, or its slug was taken."""
        for kind, model in MODELS.items():
            rows = {row.path: row for row in self.rows if row.kind == kind and not row.is_gone}
            pending = list(self.pending(kind=kind, path__in=rows).for_list())
            sources = [self.source.entry_source(row.path) for row in pending]
            numbers = dict(model.objects.filter(source__in=sources).values_list("source", "number"))
            slugs = model.objects.filter(slug__in=[row.slug for row in pending])
            taken = set(slugs.exclude(source__in=sources).values_list("slug", flat=True))
            for submission, source in zip(pending, sources, strict=True):
                is_taken = submission.base_number is None and submission.slug in taken
                if is_taken or numbers.get(source) != submission.base_number:
                    rows[submission.path].settled_digest = TAKEN_BACK

    @transaction.atomic
    def take_back(self):
        """Withdraw what is on the desk if its file is gone, or has another text by now."""
        self.source.lock()
        rows = {(row.kind, row.path): row for row in self.rows}
        for submission in self.pending().for_list():
            row = rows.get((submission.kind, submission.path))
            if row is None or not row.is_settled:
                self.withdraw_submission(submission)
            if row and not row.is_settled:
                row.save_values(settled_digest=TAKEN_BACK)

    def pending(self, **options):
        return Submission.objects.pending().filter(source=self.source, **options)
