"""Submitting, within what an agent, an operator and everybody may have pending (contract 29.9)."""

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Sum

from audit.models import AuditEvent
from catalogue.models import REFUSALS, Purge
from submissions.exceptions import SubmissionNotFound, TooManyPending, UnusableText
from submissions.models.from_source import FromSourceQuerySet

MAX_OF_AGENT, MAX_OF_OPERATOR = 20, 60  # pending submissions
MAX_PENDING_BYTES = 1024**3  # of everybody together
MAX_OFFERED, MAX_READ = 5, 50  # earlier reasons, and the rejections that have them
TURN = "SELECT pg_advisory_xact_lock('submissions_submission'::regclass::oid::int, 0)"


class State(models.TextChoices):
    PENDING = "pending"
    PUBLISHED = "published"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"


class SubmissionQuerySet(FromSourceQuerySet):
    def pending(self):
        return self.filter(state=State.PENDING)

    def for_list(self):
        """Without the bytes."""
        return self.defer("content", "archive")

    def own(self, agent, public_id):
        """The agent's submission, without the archive. Raises SubmissionNotFound."""
        rows = self.filter(agent=agent, public_id=public_id).defer("archive")
        # PostgreSQL reads no NUL.
        row = None if "\0" in public_id else rows.first()
        if row is None:
            raise SubmissionNotFound
        return row

    @transaction.atomic
    def submit(self, proposal, *, agent=None, user=None, is_maintainer=False, **about):
        """Store a Proposal of an agent, or of one of the staff; returns it and whether it is new.

        `about` is a note and the provenance of the agent's token. The submission replaces the
        author's pending one of the same slug, unless that has the same bytes: then only these two
        change. Raises TooManyPending.
        """
        if agent:
            agent.lock_active()
        author = {"agent": agent, "user": user, "source": None}
        author |= {"kind": proposal.kind, "slug": proposal.slug}
        submission = self.model(**author, **about, **proposal.values)
        submission, is_new = self.store(
            submission, proposal, self.filter(**author), is_maintainer=is_maintainer
        )
        if is_new:
            AuditEvent.objects.record("submit", submission, by=agent and ("agent", agent.handle))
        return submission, is_new

    def store(self, submission, proposal, own, *, is_maintainer=False):
        """Store it in place of the pending one of its author's `own`. Raises TooManyPending."""
        self.take_turn()
        self.refuse_purged(proposal)
        # Somebody may be deciding it now.
        previous = own.pending().for_list().select_for_update(no_key=True).first()
        if previous and previous.is_the_same(submission):
            previous.note = submission.note
            previous.provenance = submission.provenance or previous.provenance
            previous.save(update_fields=["note", "provenance"])
            return previous, False
        if previous:
            previous.forget(State.REPLACED)
        if submission.agent:
            self.check_room(submission.agent, proposal.size, is_maintainer=is_maintainer)
        submission.save_with(proposal)
        return submission, True

    def check_room(self, agent, size, *, is_maintainer):
        """Raises TooManyPending."""
        pending = self.pending().filter(agent__isnull=False)
        if pending.filter(agent=agent).count() >= MAX_OF_AGENT:
            raise TooManyPending
        key = agent.claim.key_id if agent.claim.claimed_at else None
        if key and pending.filter(agent__claim__key=key).count() >= MAX_OF_OPERATOR:
            raise TooManyPending
        if not is_maintainer and pending.count() >= settings.SUBMISSIONS_MAX:
            raise TooManyPending
        stored = pending.aggregate(size=Sum("size"))["size"] or 0
        if stored + size > MAX_PENDING_BYTES:
            raise TooManyPending

    def refuse_purged(self, proposal):
        """Raises UnusableText if its text was purged since it was checked."""
        Purge.objects.wait_for_purges()
        if Purge.objects.filter(kind=proposal.kind, digest=proposal.values["digest"]).exists():
            raise UnusableText(f"content: {REFUSALS['text_is_not_purged']}")

    def earlier_reasons(self):
        """`{pk: reason}` of a few submissions that staff have rejected, the newest first."""
        rows = self.filter(state=State.REJECTED).order_by("-pk")
        texts = {}
        for key, text, user in rows.values_list("pk", "reason", "decided_by")[:MAX_READ]:
            if user and len(texts) < MAX_OFFERED:
                texts.setdefault(text, key)
        return {key: text for text, key in texts.items()}

    def take_turn(self):
        """Wait for all other transactions that submit, so that the counts are exact."""
        with connection.cursor() as cursor:
            cursor.execute(TURN)

    def delete_bytes_rejected_before(self, moment):
        """Delete the bytes of submissions that were rejected earlier; returns their number."""
        rejected = self.filter(state=State.REJECTED, decided_at__lt=moment, content__isnull=False)
        return rejected.update(**self.model.NO_BYTES)
