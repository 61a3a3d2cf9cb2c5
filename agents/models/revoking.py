from datetime import timedelta

from django.db import models
from django.utils import timezone

LEAKED = "Reported as leaked"  # why a key or a token was revoked


class RevokedQuerySet(models.QuerySet):
    def leaked(self):
        return self.filter(revocation_reason=LEAKED)

    def leaked_this_week(self):
        return self.leaked().filter(revoked_at__gte=timezone.now() - timedelta(days=7))


class RevokedOnce(models.Model):
    """A secret text of which only the digest is stored, and a hint for staff.

    Its models have `revoked_at` and `revocation_reason`.
    """

    digest = models.CharField(max_length=64, editable=False)
    hint = models.CharField(max_length=64, editable=False)

    class Meta:
        abstract = True

    def __str__(self):
        return self.hint

    def revoke(self, reason=""):
        """Refuse it for good. If two callers do it, the first time and reason stay."""
        usable = type(self).objects.filter(pk=self.pk, revoked_at=None)
        usable.update(revoked_at=timezone.now(), revocation_reason=reason)
        self.refresh_from_db(fields=["revoked_at", "revocation_reason"])
