from django.db import models
from django.db.models import F, Q


class Change(models.Model):
    """The last change to a slug (contract 20.2); only triggers write it.

    Its position in the feed is `changed_at`, which rises with each commit (docs/develop/feed.md).
    """

    class Type(models.TextChoices):
        PUBLISHED = "published"
        UPDATED = "updated"
        WITHDRAWN = "withdrawn"

    kind = models.CharField(max_length=7)
    # The entry that had the slug at that time.
    entry_id = models.BigIntegerField()
    slug = models.CharField(max_length=100)
    change = models.CharField(max_length=9, choices=Type)
    digest = models.CharField(max_length=71, null=True)  # noqa: DJ001 - nothing has none
    number = models.PositiveIntegerField(null=True)  # of the version
    changed_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["kind", "entry_id"], name="change_of_entry"),
            models.Index(F("changed_at"), F("id") * -1, name="change_position"),
            models.Index("kind", F("changed_at"), F("id") * -1, name="change_position_of_kind"),
            models.Index(F("changed_at"), name="change_tombstone", condition=Q(change="withdrawn")),
        ]
        constraints = [
            models.UniqueConstraint(fields=["kind", "slug"], name="one_change_per_kind_and_slug")
        ]

    def __str__(self):
        return f"{self.kind} {self.slug} {self.change}"


class Feed(models.Model):
    """The feed as a whole: one row, which commits lock in turn."""

    newest_at = models.DateTimeField()
    # The newest change that was dropped. A reader that knows no later one may have missed it.
    complete_since = models.DateTimeField()

    def __str__(self):
        return f"feed up to {self.newest_at}"
