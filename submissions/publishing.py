"""Publishing a submission: exactly the bytes that somebody has read, by way of an import.

A person approves what a page showed. If the submission or the entry has moved since, nothing is
published. A trusted maintainer's submission needs no person (contract 29).
"""

from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from audit.models import AuditEvent
from catalogue.frontmatter import Refused
from catalogue.models import REPOSITORY, SUBMITTED, Status
from importing.base import taking_turns
from importing.confirmed import ConfirmedPersonaImporter, ConfirmedSkillImporter
from submissions.exceptions import AlreadyDecided
from submissions.models import Maintainer, SubmittedVersion
from submissions.models.querysets import State
from submissions.staff_fields import keep_fields
from submissions.trust import may_publish_at_once

DRAFT = "A draft of staff has the slug {slug}. Delete or publish it first, or reject this."
TAKEN = "The slug {slug} was taken since this was submitted. Reject it."
WITHDRAWN = "The {kind} is withdrawn. Publish and end the recall, or reject this."
MOVED = "This has changed since you opened the page. Read it again."


class BySlugMixin:
    """A submission changes its own entry alone, wherever that came from."""

    def __init__(self, submission, path, **options):
        super().__init__(**options)
        self.source = submission.public_id  # which no entry has
        self.root = path.parent.parent
        self.published = {self.display_path(path)}  # even without a description
        self.submission, self.path = submission, path

    def slug_of(self, file):
        return self.submission.slug

    def existing(self, file, entries):
        entry = self.submission.entry_in(entries)
        if entry and (self.submission.agent_id or self.submission.source_id):
            keep_fields(file, entry)
        return entry

    def outcome(self):
        """The Outcome of importing it, or of the preview."""
        outcome = self.import_file(self.root, self.path)
        outcome.may_publish = False  # It is published anyway.
        return outcome


class SubmittedSkillImporter(BySlugMixin, ConfirmedSkillImporter):
    pass


class SubmittedPersonaImporter(BySlugMixin, ConfirmedPersonaImporter):
    pass


IMPORTERS = {"skill": SubmittedSkillImporter, "persona": SubmittedPersonaImporter}


def preview(submission):
    """The Outcome that publishing it would have now.

    A person reads what a doubtful file changes, too, before ticking it.
    """
    with submission.unpacked() as path:
        importer = IMPORTERS[submission.kind](submission, path)
        outcome = importer.outcome()
        if outcome.is_doubtful:
            importer.ticked = importer.published
            ticked = importer.outcome()
            ticked.is_doubtful, ticked.reason = True, outcome.reason
            return ticked
        return outcome


class Approval(NamedTuple):
    """The decision of a person, with the state of the page that it was made on."""

    user: object
    bytes_digest: str
    number: int | None  # of the entry, as its page showed it
    opened_at: object  # when the page was opened
    findings: str  # the digest of those that the page showed
    ends_recall: bool = False
    with_doubts: bool = False


def publish(submission, approval):
    """Publish what a person has approved; returns the entry.

    Raises AlreadyDecided, or Refused with the reason why nothing was published.
    """
    with taking_turns():
        submission.lock_pending()
        entry = locked_entry(submission)
        number = entry.number if entry else None
        is_newer = entry is not None and entry.updated_at > approval.opened_at
        shown = approval.bytes_digest, approval.number
        if is_newer or shown != (submission.bytes_digest, number):
            raise Refused(MOVED)
        if submission.withdraws:
            return store_withdrawal(submission, entry, approval.user)
        check_entry(submission, entry, ends_recall=approval.ends_recall)
        outcome = imported(submission, with_doubts=approval.with_doubts)
        if approval.findings != outcome.findings_digest:
            raise Refused(MOVED)
        if approval.ends_recall:
            outcome.entry.publish()
        record(submission, outcome, number or 0, approval.user)
        return outcome.entry


def publish_at_once(submission):
    """Publish a trusted maintainer's submission. Whatever is in the way, it waits for staff."""
    try:
        with taking_turns():
            submission.lock_pending()
            entry = locked_entry(submission)
            if entry is not None and may_publish_at_once(submission, entry):
                record(submission, imported(submission), entry.number)
                reason = f"Published a submission of {submission.author}"
                entry.take_snapshot(reason=reason, is_event=True)
                by = ("agent", submission.agent.handle)
                AuditEvent.objects.record("publish", entry, by=by, message=reason)
    except (Refused, AlreadyDecided, ValidationError):
        submission.refresh_from_db(fields=["state", "number", "decided_at"])
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        # A long import has the turn.


def locked_entry(submission):
    """The entry that it changes, which nobody else changes until the transaction ends, or None."""
    return submission.entry_in(submission.model.objects.select_for_update(no_key=True))


def check_entry(submission, entry, *, ends_recall):
    """Raises Refused if a submission may not change the entry as it is now."""
    if entry is None:
        return
    if entry.status == Status.DRAFT:
        raise Refused(DRAFT.format(slug=entry.slug))
    if entry.status == Status.WITHDRAWN and not ends_recall:
        raise Refused(WITHDRAWN.format(kind=entry.kind))
    check_owner(submission, entry)
    is_new = submission.base_number is None and entry.is_published
    if is_new and entry.digest != submission.digest:
        raise Refused(TAKEN.format(slug=entry.slug))


def check_owner(submission, entry):
    """Raises Refused if the entry is another source's or author's by now."""
    if submission.source:
        is_other = entry.source != submission.entry_source
    else:
        is_other = submission.agent_id and entry.source.startswith(REPOSITORY)
    if is_other:
        raise Refused(TAKEN.format(slug=entry.slug))


def imported(submission, *, with_doubts=False):
    """The Outcome of importing it. Raises Refused."""
    with submission.unpacked() as path:
        importer = IMPORTERS[submission.kind](
            submission, path, preview=False, record=lambda _outcome: None
        )
        importer.ticked = importer.published if with_doubts else set()
        outcome = importer.outcome()
    if outcome.result == "refused":
        raise Refused(outcome.reason)
    return outcome


def record(submission, outcome, number, user=None):
    """Record who submitted and who published the version that followed this number."""
    entry = outcome.entry
    entry.refresh_from_db(fields=["number", "source"])
    if submission.source is not None:
        entry.source = submission.entry_source
        entry.save(update_fields=["source"])
    elif submission.agent is not None:
        take_over(submission, entry, is_new=outcome.result == "created")
    if entry.number > number:
        version = entry.versions.get(number=entry.number)
        SubmittedVersion.objects.create(
            **{f"{entry.kind}_version": version},
            submission=submission,
            submitted_by=submission.author,
            provenance=submission.provenance,
            commit=submission.commit,
            published_by=str(user or "")[:200],
        )
    submission.decide(State.PUBLISHED, user, number=entry.number)


def store_withdrawal(submission, entry, user):
    """Withdraw an entry that its source no longer has."""
    if entry is None:
        raise Refused(MOVED)
    check_owner(submission, entry)
    if entry.is_published:
        entry.withdraw()
    submission.decide(State.PUBLISHED, user)
    return entry


def take_over(submission, entry, *, is_new):
    """Later imports of the entry's old source leave it alone."""
    source = f"{SUBMITTED}{submission.author}"
    if not entry.source.startswith(SUBMITTED):
        entry.former_source = entry.source if not is_new else ""
    entry.source = source
    entry.save(update_fields=["source", "former_source"])
    if is_new:
        Maintainer.objects.add(entry, submission.agent)
