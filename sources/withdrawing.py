"""Withdrawing entries whose files are gone from a source (contract 30)."""

from datetime import timedelta

from django.db import transaction

from importing.base import taking_turns
from sources.file_proposals import Withdrawal
from sources.models import ReviewedIn
from submissions.models.submissions import MODELS

# More than both wait for a superuser: a number of entries, and one in so many. Those of several
# runs count together, because several commits may empty a source as well as one.
MANY, ONE_IN, WITHIN = 10, 3, timedelta(days=1)


class WithdrawingMixin:
    """For a Sync: its last step handles the entries whose files are gone."""

    def withdraw_gone(self, gone):
        """Withdraw them or propose it; returns the reason why the source is failing, or "".

        `gone` is the ref or the folder, if the repository lacks it.
        """
        published = self.published()
        rows = [row for row in self.rows if row.is_gone and not row.is_settled]
        number = sum(map(len, published.values()))
        waiting = [
            row for row in rows if row.entry_source in published[row.kind] and not row.is_confirmed
        ]
        recent = self.recent(published)
        if waiting and (gone or are_many(len(waiting) + recent, number + recent)):
            start = f"{gone} is gone. " if gone else ""
            after = f", after {recent:,} within a day" if recent else ""
            would_go = f"{len(waiting):,} of {number:,} entries would go{after}"
            return f"{start}{would_go}: confirm it, or pause."
        for row in rows:
            self.withdraw(row)
        return f"{gone} is gone." if gone else ""

    @transaction.atomic
    def published(self):
        """`{kind: sources}` of the source's published entries."""
        self.source.lock()  # Nobody renames it meanwhile.
        return {
            kind: set(
                model.objects.published()
                .filter(source__in=[row.entry_source for row in self.rows if row.kind == kind])
                .values_list("source", flat=True)
            )
            for kind, model in MODELS.items()
        }

    def recent(self, published):
        """The number of entries that earlier runs withdrew within a day, without a confirmation."""
        since = self.now - WITHIN
        return sum(
            row.is_gone
            and not row.is_confirmed
            and row.withdrawn_at is not None
            and row.withdrawn_at > since
            and row.entry_source not in published[row.kind]
            for row in self.rows
        )

    def withdraw(self, row):
        with taking_turns():
            self.source.lock()
            entries = MODELS[row.kind].objects.select_for_update(no_key=True)
            entry = entries.filter(source=self.source.entry_source(row.path)).first()
            if entry is None or not entry.is_published:
                self.withdraw_pending(row)
                row.settle()
            elif self.source.review == ReviewedIn.GIT:
                self.withdraw_entry(row, entry)
            elif self.may_propose():
                self.submit(row, Withdrawal(entry))
                row.settle()

    def withdraw_entry(self, row, entry):
        entry.snapshot_before_change()
        entry.withdraw()
        reason = f"lacks it at {self.fetched.commit}"
        if self.root is None:
            reason = f"has no {self.source.ref}"  # The commit that is known had it.
        entry.take_snapshot(reason=f"Withdrawn: {self.source.author} {reason}", is_event=True)
        self.withdraw_pending(row)
        row.settle(withdrawn_at=entry.withdrawn_at)
        self.counts["withdrawn"] += 1
        self.record(entry.kind, entry.slug, withdrawn=1)


def are_many(withdrawals, entries):
    """Whether so many of a source's entries would go that a superuser should look first."""
    return withdrawals > MANY and withdrawals * ONE_IN > entries
