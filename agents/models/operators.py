from django.contrib.postgres.indexes import OpClass
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from agents import tokens
from agents.models.revoking import LEAKED, RevokedOnce, RevokedQuerySet
from marketplace.models import MAX_REASON


class OperatorKeyQuerySet(RevokedQuerySet):
    def confirmed(self):
        """Those with which an agent has been claimed; they have opened something."""
        return self.filter(confirmed_at__isnull=False)

    def unconfirmed(self):
        return self.filter(confirmed_at=None)

    def usable(self):
        return self.confirmed().filter(revoked_at=None)

    def locked(self):
        return self.select_for_update(no_key=True)

    def of_text(self, text):
        """The usable key with this text, or None.

        By the same statement whatever the text is, so that its time tells nothing (contract 15.10).
        """
        return self.usable().filter(digest=tokens.digest(text)).first()


class OperatorKey(RevokedOnce):
    """What opens the console of the agents that were claimed with it; only a digest is kept.

    It opens nothing before an agent has confirmed a claim with it, and nothing after the last of
    its agents was released or claimed anew (contract 19.13).
    """

    digest = models.CharField(max_length=64, editable=False)
    hint = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    revocation_reason = models.CharField(max_length=MAX_REASON, blank=True)

    objects = OperatorKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "operator"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_operator_key_digest")
        ]
        indexes = [
            # Staff see those that have been confirmed, and look for those reported as leaked.
            models.Index(
                F("id").desc(),
                name="operator_key_confirmed",
                condition=Q(confirmed_at__isnull=False),
            ),
            models.Index(
                F("id").desc(), name="operator_key_revoked", condition=Q(revoked_at__isnull=False)
            ),
            models.Index(
                F("id").desc(), name="operator_key_leaked", condition=Q(revocation_reason=LEAKED)
            ),
            models.Index(
                OpClass("hint", "varchar_pattern_ops"),
                name="operator_key_hint_start",
                condition=Q(confirmed_at__isnull=False),
            ),
        ]

    def __str__(self):
        return self.hint

    def note_use(self):
        """Note that it is in use, as a token's use is noted."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at < now - tokens.NOTED_EVERY:
            self.last_used_at = now
            self.save(update_fields=["last_used_at"])

    @transaction.atomic
    def leave(self):
        """End it if no agent is left to it: one of them was released or claimed anew."""
        # Locked, so that of two agents that leave at once one sees that it is the last.
        key = OperatorKey.objects.locked().get(pk=self.pk)
        if not key.claims.claimed().exists():
            key.revoke("Its last agent has left it")
