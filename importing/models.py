from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from catalogue.models import Kind
from marketplace.large_values import large_value, pieces_of, read_in_pieces

MAX_REFUSALS = 50  # that a run stores
MAX_ENTRIES = 200  # the same
RESULTS = ["created", "updated", "unchanged", "refused"]
# An import that has finished no file for longer counts as interrupted. The database's timeouts end
# each file's transaction long before that.
MAX_SILENCE = timedelta(seconds=30)
IS_ACTIVE = Q(active_at__gt=Now() - MAX_SILENCE)


class Overtaken(Exception):
    """Somebody else has confirmed the run again, because its import was silent for too long."""


class ImportRun(models.Model):
    """One upload in the admin, kept for its preview and later for its refusals.

    One request at a time imports the upload: the one that claimed it last. It says after each file
    that it is still there. So a claim ends with a process that is killed, and needs no connection
    of its own, which a pooler would not keep.
    """

    kind = models.CharField(max_length=7, choices=Kind)
    name = models.CharField("file", max_length=200)
    draft = models.BooleanField(default=False, help_text="Keep new entries as drafts.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    # When somebody last confirmed it, which identifies the claim.
    confirmed_at = models.DateTimeField(null=True)
    # When its import last finished a file, by the database's clock; NULL once it has failed.
    active_at = models.DateTimeField(null=True)
    # The uploaded file, until it is imported or its preview is abandoned.
    data = models.BinaryField(null=True)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    # The first refusals, as [path, reason].
    refusals = models.JSONField(default=list)
    # The first that it created or updated, as [key, slug, "created" or "updated"].
    entries = models.JSONField(default=list, db_default=[])

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.name} of {self.created_at:%d %B %Y, %H:%M}"

    def save_with(self, file):
        """Save the run with the bytes of a file."""
        file.seek(0)
        with large_value(pieces_of(file)) as self.data:
            self.save()

    def write_data(self, file):
        """Write the uploaded bytes to a file."""
        file.writelines(read_in_pieces(ImportRun.objects.filter(pk=self.pk), "data"))
        file.seek(0)

    def claim(self):
        """Whether this request may import the upload; of several, one may.

        The counts start again, because a file that an earlier import has finished is unchanged.
        """
        return self._update(
            self._idle(),
            **dict.fromkeys(RESULTS, 0),
            refusals=[],
            entries=[],
            confirmed_at=timezone.now(),
            active_at=Now(),
        )

    def publish_all(self, is_chosen):
        """Remember whether the person who imports it publishes all of it."""
        self._update_claimed(draft=not is_chosen)

    def discard(self):
        """Whether the upload is gone. The record of an interrupted import stays."""
        if self.confirmed_at is None:
            deleted, _ = self._idle().delete()
            return bool(deleted)
        return self._update(self._idle(), finished_at=Now(), data=None)

    def count(self, outcome):
        """Add the Outcome of a file, in its transaction, which Overtaken has to undo."""
        result, entry = outcome.result, outcome.entry
        counted = {result: getattr(self, result) + 1}
        if result == "refused" and len(self.refusals) < MAX_REFUSALS:
            counted["refusals"] = [*self.refusals, [outcome.path, outcome.reason]]
        if result in {"created", "updated"} and len(self.entries) < MAX_ENTRIES:
            counted["entries"] = [*self.entries, [entry.pk, entry.slug, result]]
        self._update_claimed(**counted, active_at=Now())

    def finish(self):
        """Discard the upload. Raises Overtaken."""
        self._update_claimed(finished_at=Now(), data=None)

    def release(self):
        """Let staff confirm it again at once, unless somebody already has."""
        self._claimed().update(active_at=None)

    def _idle(self):
        runs = ImportRun.objects.filter(pk=self.pk, finished_at=None, data__isnull=False)
        return runs.exclude(IS_ACTIVE)

    def _claimed(self):
        return ImportRun.objects.filter(pk=self.pk, confirmed_at=self.confirmed_at)

    def _update_claimed(self, **values):
        if not self._update(self._claimed(), **values):
            raise Overtaken

    def _update(self, runs, **values):
        """Whether the run was among these, and now has the values.

        Here, an expression such as Now() stays one.
        """
        for name, value in values.items():
            setattr(self, name, value)
        return runs.update(**values) == 1
