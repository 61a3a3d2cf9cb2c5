from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from agents import tokens
from agents.exceptions import InvalidInvitation
from agents.models.revoking import LEAKED, RevokedOnce, RevokedQuerySet
from marketplace.api.scopes import DEFAULT_SCOPES, Scope
from marketplace.models import MAX_REASON, newest_where
from marketplace.ratelimits.rates import FREE_TIER

MAX_USES, MAX_DAYS = 10_000, 365
DEFAULT_USES, DEFAULT_DAYS = 1, 7


class InvitationQuerySet(RevokedQuerySet):
    def valid(self):
        """Invitations that can still register an agent."""
        return self.filter(revoked_at=None, expires_at__gt=Now(), used__lt=F("uses"))

    def issue(
        self,
        *,
        uses=DEFAULT_USES,
        expires_in_days=DEFAULT_DAYS,
        scopes=DEFAULT_SCOPES,
        tier=FREE_TIER,
        note="",
    ):
        """A new invitation; its `text` exists only on the returned object."""
        text = tokens.mint_invitation()
        invitation = self.create(
            digest=tokens.digest(text),
            hint=tokens.hint(text),
            uses=uses,
            # The database's clock also decides whether it has expired.
            expires_at=Now() + timedelta(days=expires_in_days),
            scopes=[scope for scope in Scope.values if scope in scopes],
            tier=tier,
            note=note,
        )
        invitation.refresh_from_db(fields=["expires_at"])
        invitation.text = text
        return invitation

    def spend(self, text):
        """Spend one use of the invitation with this text; returns the rights (contract 26.4).

        Raises InvalidInvitation after the same statement for every invalid text, so that timing
        reveals nothing. Concurrent callers wait for the end of the transaction, so the count is
        exact.
        """
        own = self.filter(digest=tokens.digest(text))
        if not own.valid().update(used=F("used") + 1):
            raise InvalidInvitation
        invitation = own.get()
        return {"invitation": invitation, "tier": invitation.tier, "scopes": invitation.scopes}


class Invitation(RevokedOnce):
    """A text that lets agents register."""

    uses = models.PositiveIntegerField(default=DEFAULT_USES)
    used = models.PositiveIntegerField(default=0, editable=False)
    # For the agents that it registers.
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    tier = models.CharField(max_length=16, default=FREE_TIER)
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, editable=False)
    revocation_reason = models.CharField(max_length=MAX_REASON, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_invitation_digest"),
            models.CheckConstraint(
                condition=Q(used__lte=F("uses")), name="invitation_spent_at_most_its_uses"
            ),
        ]
        indexes = [
            # Staff search by the start of the text, and look for those reported as leaked.
            models.Index(OpClass("hint", "varchar_pattern_ops"), name="invitation_hint_start"),
            newest_where("invitation_revoked", Q(revoked_at__isnull=False)),
            newest_where("invitation_leaked", Q(revocation_reason=LEAKED)),
        ]

    @property
    def state(self):
        """ "valid", or why it is refused."""
        if self.revoked_at:
            return "revoked"
        if self.expires_at <= timezone.now():
            return "expired"
        return "spent" if self.used >= self.uses else "valid"
