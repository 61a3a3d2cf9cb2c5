from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class RaisedLimitQuerySet(models.QuerySet):
    def current(self):
        """Those that have not ended."""
        return self.filter(Q(until=None) | Q(until__gt=Now()))


class RaisedLimit(models.Model):
    """A limit that staff have raised for one agent (contract 11.11)."""

    agent = models.ForeignKey(
        "agents.Agent", models.CASCADE, related_name="raised_limits", db_index=False
    )
    policy = models.CharField(max_length=32)
    # Requests per window of the tier. It counts while it is above what the tier allows.
    limit = models.PositiveIntegerField()
    until = models.DateTimeField(null=True)
    note = models.CharField(max_length=200)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )

    objects = RaisedLimitQuerySet.as_manager()

    class Meta:
        ordering = ["policy"]
        constraints = [
            models.UniqueConstraint(fields=["agent", "policy"], name="unique_raised_limit")
        ]

    def __str__(self):
        return self.policy
