import json
from functools import partial

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models, transaction
from django.db.models import Func, Q
from django.db.models.functions import Least, Now, Right
from rest_framework.exceptions import AuthenticationFailed

from agents import tokens
from agents.exceptions import TokenNotFound, TooManyTokens
from agents.models.agents import Agent
from agents.models.history import OperatorHistory
from agents.models.revoking import LEAKED, RevokedOnce, RevokedQuerySet
from agents.sql import AUTHENTICATE, REVOKE, REVOKE_WITH_CONNECTIONS, STATE
from audit.models import AuditEvent
from infrastructure.db.statements import fetch_one
from marketplace.acting import current_act
from marketplace.api.exceptions import InsufficientScope
from marketplace.api.scopes import DEFAULT_SCOPES, Scope, allows
from marketplace.features import has_connectors
from marketplace.models import MAX_REASON, RandomTextField, make_public_id, newest_where
from marketplace.rows import instance_of


class AgentTokenQuerySet(RevokedQuerySet):
    def with_state(self):
        """Annotate `state`: "usable", or why the token is refused."""
        # Naming a column of the agent makes the join for STATE; a count drops select_related.
        state = Func("agent__suspended_at", template=STATE, output_field=models.TextField())
        return self.select_related("agent").annotate(state=state)

    def usable(self):
        return self.with_state().filter(state="usable")

    def valid(self):
        """Tokens that are usable, or would be if nobody had stopped the agent."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None)

    def of_runs(self):
        """Those that runs of CI exchanged for their own (contract 31)."""
        return self.filter(provenance__isnull=False)


class AgentTokenManager(models.Manager.from_queryset(AgentTokenQuerySet)):
    def issue(self, agent, scopes=DEFAULT_SCOPES, *, name="", expires_at=None, **origin):
        """A new token, with its scopes in a fixed order and without duplicates.

        Its `text` exists only on the returned object; it is not stored. Its origin, if it is not
        the agent itself or a person, is its `provenance` or its `connection`.
        """
        text = tokens.mint()
        token = self.create(
            agent=agent,
            name=name,
            digest=tokens.digest(text),
            hint=tokens.hint(text),
            scopes=[scope for scope in Scope.values if scope in scopes],
            expires_at=expires_at,
            **origin,
        )
        token.text = text
        return token

    def authenticate(self, text, statement=AUTHENTICATE):
        """The token with this text and its agent, and its use recorded; None if it is refused.

        A token that is revoked or expired is refused, and so is one whose agent is suspended or
        paused. A higher app may pass a `statement` that reads more; the token's `row` has it all.
        """
        if not tokens.is_well_formed(text):
            return None
        row = fetch_one(statement, {"digest": tokens.digest(text)}, writes=True)
        if row is None:
            return None
        token = instance_of(self.model, row, "token_", agent=instance_of(Agent, row, "agent_"))
        token.row = row
        token.agent.raised = json.loads(row.agent_raised or "{}")
        return token

    def revoke_leaked(self, text):
        """Revoke the token, key or invitation with this text, without telling whether it exists."""
        act = current_act()
        origin = {"address": act.address, "request_id": act.request_id}
        values = {"digest": tokens.digest(text), "reason": LEAKED} | origin
        if has_connectors():
            values["family"] = tokens.family_of(text)
        statement = REVOKE_WITH_CONNECTIONS if has_connectors() else REVOKE
        fetch_one(statement, values, writes=True)


class AgentToken(RevokedOnce):
    """A bearer token (contract 4.8)."""

    MAX_USABLE = 10  # that an agent can create; staff and operators may issue more

    public_id = RandomTextField(partial(make_public_id, "token"), max_length=40)
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80, blank=True, db_default="")
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revocation_reason = models.CharField(max_length=MAX_REASON, blank=True, db_default="")
    # The run of CI that exchanged its own token for this one (contract 31), as `{"issuer",
    # "project", "ref", "commit", "run"}`; NULL for all other tokens.
    provenance = models.JSONField(null=True, editable=False)
    # A connector has one token (contract 35), which is replaced in place, and whose end is the
    # connection's. The index `token_of_connection` serves this key.
    connection = models.ForeignKey(
        "connections.Connection",
        models.CASCADE,
        null=True,
        editable=False,
        related_name="tokens",
        db_index=False,
    )

    objects = AgentTokenManager()
    history = OperatorHistory(
        excluded_fields=[
            *("public_id", "digest", "last_used_at", "created_at", "provenance", "connection")
        ]
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            # Staff search by the start or the end of the text.
            models.Index(OpClass("hint", "varchar_pattern_ops"), name="token_hint_start"),
            models.Index(Right("hint", 4), name="token_hint_end"),
            newest_where("token_revoked", Q(revoked_at__isnull=False)),
            newest_where("token_leaked", Q(revocation_reason=LEAKED)),
            # `of_runs` that have expired are deleted.
            models.Index(
                fields=["expires_at"],
                name="token_of_run_expiry",
                condition=Q(provenance__isnull=False),
            ),
            models.Index(
                fields=["connection"],
                name="token_of_connection",
                condition=Q(connection__isnull=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_token_digest"),
            models.UniqueConstraint(fields=["public_id"], name="unique_token_public_id"),
        ]

    @transaction.atomic
    def issue_another(self, *, name="", scopes=None, expires_in_days=None):
        """Create another token, with at most this one's scopes and expiry (contract 15.3).

        Raises InsufficientScope and TooManyTokens.
        """
        caller, usable = self.locked()
        scopes = caller.scopes if scopes is None else scopes
        caller.check_scopes(scopes)
        self.check_number(usable)
        expiries = [tokens.expiry(expires_in_days), caller.expires_at]
        token = AgentToken.objects.issue(
            self.agent,
            scopes,
            name=name,
            expires_at=min(filter(None, expiries), default=None),
            provenance=caller.provenance,
        )
        token.record("create_token")
        return token

    @transaction.atomic
    def rotate(self, grace):
        """Create a token that replaces this one, its `previous` (contract 15.5).

        During the grace period, this one can only read. Raises TooManyTokens.
        """
        caller, usable = self.locked()
        if grace:
            self.check_number(usable)
        token = AgentToken.objects.issue(
            self.agent,
            caller.scopes,
            name=caller.name,
            expires_at=caller.expires_at,
            provenance=caller.provenance,
        )
        caller.scopes = [Scope.READ]
        # The database's clock also decides whether a token has expired.
        caller.expires_at = Least("expires_at", Now() + grace)
        caller.save(update_fields=["scopes", "expires_at"])
        caller.refresh_from_db(fields=["expires_at"])
        token.previous = caller
        token.record("rotate_token", message=f"It replaces {caller}.")
        return token

    @transaction.atomic
    def revoke_by_id(self, public_id):
        """Revoke this token or another one of the agent; returns it (contract 15.8).

        Raises TokenNotFound and InsufficientScope.
        """
        caller, usable = self.locked()
        token = next((candidate for candidate in usable if candidate.public_id == public_id), None)
        if token is None:
            raise TokenNotFound
        caller.check_scopes(token.scopes)
        token.revoke("Deleted by its agent")
        token.record("revoke_token")
        return token

    def record(self, action, **details):
        """Record what the agent does with its token."""
        details |= {"by": ("agent", self.agent.handle), "scopes": self.scopes}
        AuditEvent.objects.record(action, self, **details)

    def locked(self):
        """Lock the agent and read this token and all its usable ones.

        Raises AuthenticationFailed if this one became unusable after authentication.
        """
        self.agent.lock()
        # Staff, and finders of a leaked token, revoke it without locking its agent.
        usable = list(self.agent.tokens.usable().select_for_update(no_key=True, of=["self"]))
        if self not in usable:
            raise AuthenticationFailed
        return usable[usable.index(self)], usable

    def check_scopes(self, scopes):
        """Raises InsufficientScope for one that it may not give to another token."""
        for scope in scopes:
            if not (allows(self.scopes, scope) or (scope == Scope.SUBMIT and self.is_full)):
                raise InsufficientScope(scope)

    @property
    def is_full(self):
        """Whether it may do what the token of a registration may."""
        return self.expires_at is None and set(self.scopes).issuperset(DEFAULT_SCOPES)

    def check_number(self, usable):
        # Those of CI end within minutes, and come as often as it runs. Those of connections have a
        # limit of their own.
        own = [token for token in usable if token.provenance is None and not token.connection_id]
        if len(own) >= self.MAX_USABLE:
            raise TooManyTokens
