from django.contrib.postgres.indexes import OpClass
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from agents import tokens
from agents.models.revoking import LEAKED, RevokedOnce, RevokedQuerySet
from marketplace.models import MAX_REASON, newest_where


class OperatorKeyQuerySet(RevokedQuerySet):
    def confirmed(self):
        """Keys that have claimed an agent, and so have opened something."""
        return self.filter(confirmed_at__isnull=False)

    def unconfirmed(self):
        return self.filter(confirmed_at=None)

    def usable(self):
        return self.confirmed().filter(revoked_at=None)

    def locked(self):
        return self.select_for_update(no_key=True)

    def of_text(self, text):
        """The usable key with this text, or None.

        The same statement runs for every text, so that timing reveals nothing (contract 15.10).
        """
        return self.usable().filter(digest=tokens.digest(text)).first()


class OperatorKey(RevokedOnce):
    """Opens the console for the agents that were claimed with it.

    It opens nothing until an agent has confirmed a claim with it, or after its last agent was
    released or claimed again (contract 19.13).
    """

    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    # When staff said that they know who this is. Names that it got since then are not verified.
    verified_at = models.DateTimeField(null=True, editable=False)
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
            # Staff see confirmed keys, and look for those reported as leaked.
            newest_where("operator_key_confirmed", Q(confirmed_at__isnull=False)),
            newest_where("operator_key_revoked", Q(revoked_at__isnull=False)),
            newest_where("operator_key_leaked", Q(revocation_reason=LEAKED)),
            models.Index(
                OpClass("hint", "varchar_pattern_ops"),
                name="operator_key_hint_start",
                condition=Q(confirmed_at__isnull=False),
            ),
        ]

    @property
    def state(self):
        """ "usable" or "ended", for a confirmed key."""
        return "ended" if self.revoked_at else "usable"

    def verify(self):
        """Staff know who this is: the names that it has now are verified."""
        self.verified_at = timezone.now()
        self.save(update_fields=["verified_at"])

    def end_verification(self):
        self.verified_at = None
        self.save(update_fields=["verified_at"])

    def note_use(self):
        """Record its use, as a token's use is recorded."""
        now = timezone.now()
        if self.last_used_at is None or self.last_used_at < now - tokens.NOTED_EVERY:
            self.last_used_at = now
            self.save(update_fields=["last_used_at"])

    @transaction.atomic
    def leave(self):
        """End it if its last agent was released or claimed again."""
        # Locked, so that if two agents leave at once, one of them sees that it is the last.
        key = OperatorKey.objects.locked().get(pk=self.pk)
        if not key.claims.claimed().exists():
            key.revoke("Its last agent has left it")
