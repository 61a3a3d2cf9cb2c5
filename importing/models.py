from django.conf import settings
from django.db import models

from catalogue.models import Kind


class ImportRun(models.Model):
    """One upload in the admin, kept for its preview and later for its refusals."""

    kind = models.CharField(max_length=7, choices=Kind)
    name = models.CharField("file", max_length=200)
    draft = models.BooleanField(default=False, help_text="Keep new entries as drafts.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
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
