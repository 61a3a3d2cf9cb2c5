from functools import partial

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import connection, models
from django.db.models import F, Func, Q
from django.db.models.functions import Right
from django.utils import timezone

from agents import tokens
from agents.models.agents import Agent
from agents.sql import AUTHENTICATE, STATE
from marketplace.adminsite.history import StaffHistory
from marketplace.api.permissions import Scope
from marketplace.db.rows import instance_of
from marketplace.models import MAX_REASON, make_public_id

LEAKED = "Reported as leaked"


class AgentTokenQuerySet(models.QuerySet):
    def with_state(self):
        """Annotate `state`: "usable", or why the token is refused."""
        # Naming a column of the agent makes the join that STATE needs; a count drops the other one.
        state = Func("agent__suspended_at", template=STATE, output_field=models.TextField())
        return self.select_related("agent").annotate(state=state)

    def leaked(self):
        return self.filter(revocation_reason=LEAKED)

    def issue(self, agent, scopes=tuple(Scope.values), *, name="", expires_at=None):
        """A new token. Its `text` exists only on the returned object: it is stored nowhere."""
        text = tokens.mint()
        token = self.create(
            agent=agent,
            name=name,
            digest=tokens.digest(text),
            hint=tokens.hint(text),
            scopes=list(scopes),
            expires_at=expires_at,
        )
        token.text = text
        return token

    def authenticate(self, text, statement=AUTHENTICATE):
        """The token with this text, its agent with it, and its use noted; None where it is refused.

        It must be neither revoked nor expired, and its agent not suspended. A `statement` of a
        higher app may read more; the whole row stays on the token as `row`.
        """
        if not tokens.is_well_formed(text):
            return None
        row = connection.fetch_one(statement, {"digest": tokens.digest(text)})
        if row is None:
            return None
        token = instance_of(self.model, row, "token_")
        token.agent = instance_of(Agent, row, "agent_")
        token.row = row
        return token


class AgentToken(models.Model):
    """A bearer token, of which only a digest is kept (contract 2)."""

    public_id = models.CharField(
        max_length=40,
        default=partial(make_public_id, "token"),
        # For the previous release, which inserts tokens while this one is migrated to.
        db_default=Func(
            template="'token_' || replace(gen_random_uuid()::text, '-', '')",
            output_field=models.CharField(),
        ),
        editable=False,
    )
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80, blank=True, db_default="")
    digest = models.CharField(max_length=64, editable=False)
    hint = models.CharField(max_length=64, editable=False)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revocation_reason = models.CharField(max_length=MAX_REASON, blank=True, db_default="")

    objects = AgentTokenQuerySet.as_manager()
    history = StaffHistory(excluded_fields=["public_id", "digest", "last_used_at", "created_at"])

    class Meta:
        ordering = ["-id"]
        indexes = [
            # Staff find a token by the start or the end of its text.
            models.Index(OpClass("hint", "varchar_pattern_ops"), name="token_hint_start"),
            models.Index(Right("hint", 4), name="token_hint_end"),
            models.Index(
                F("id").desc(), name="token_revoked", condition=Q(revoked_at__isnull=False)
            ),
            models.Index(
                F("id").desc(), name="token_leaked", condition=Q(revocation_reason=LEAKED)
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_token_digest"),
            # As an expression it is an index alone, which a migration can build concurrently.
            models.UniqueConstraint("public_id", name="unique_token_public_id"),
        ]

    def __str__(self):
        return self.hint

    def revoke(self, reason=""):
        """Refuse it for good. The first time and its reason stay."""
        if self.revoked_at is None:
            self.revoked_at, self.revocation_reason = timezone.now(), reason
            self.save(update_fields=["revoked_at", "revocation_reason"])
