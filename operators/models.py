from datetime import timedelta
from uuid import uuid4

from django.db import models
from django.db.models import F
from django.utils import timezone

from agents.models import OperatorKey


class OperatorSessionQuerySet(models.QuerySet):
    def open(self):
        """Sessions within their LIFETIME whose key has not ended."""
        oldest = timezone.now() - OperatorSession.LIFETIME
        return self.filter(created_at__gt=oldest, key__in=OperatorKey.objects.usable())

    def begin(self, key):
        """Make a new session of the key, and delete the key's expired ones."""
        self.filter(key=key, created_at__lte=timezone.now() - OperatorSession.LIFETIME).delete()
        return self.create(key=key)


class OperatorSession(models.Model):
    """A browser that is logged in to the console. Its cookie is signed, not stored."""

    LIFETIME = timedelta(hours=12)

    # Unlike a number, it never identifies another session, not even after a restore.
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    key = models.ForeignKey(OperatorKey, models.CASCADE, related_name="sessions", db_index=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OperatorSessionQuerySet.as_manager()

    class Meta:
        # Begins with the key, and serves as its index.
        indexes = [models.Index(F("key"), F("created_at"), name="operator_session_age")]

    def hold(self):
        """Whether the session is open. If so, it stays open until the transaction ends."""
        key = OperatorKey.objects.usable().locked().filter(pk=self.key_id)
        own = OperatorSession.objects.open().select_for_update(no_key=True, of=["self"])
        return key.first() is not None and own.filter(pk=self.pk).first() is not None

    def __str__(self):
        return f"{self.key}, {self.created_at:%d %b %Y, %H:%M}"
