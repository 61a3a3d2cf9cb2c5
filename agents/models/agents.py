from functools import partial

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import IntegrityError, models, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property
from rest_framework.exceptions import AuthenticationFailed

from agents import handles
from agents.exceptions import HandleTaken, RegistrationByInvitation, RegistrationClosed
from agents.models.claims import OperatorClaim
from agents.models.history import OperatorHistory
from agents.models.invitations import Invitation
from catalogue.models import with_words, words_of
from infrastructure.db.statements import write_one
from marketplace.api.scopes import DEFAULT_SCOPES
from marketplace.models import MAX_REASON, RandomTextField, make_public_id, newest_where, violates
from marketplace.ratelimits.rates import FREE_TIER

AGENT_WORDS = words_of("handle", "name")


class AgentQuerySet(models.QuerySet):
    def named(self, text):
        """Agents whose handle or name has, for each word of the text, one that starts with it."""
        return with_words(self, AGENT_WORDS, text)

    def active(self):
        """Agents that neither staff nor their operator have stopped."""
        return self.filter(suspended_at=None, paused_at=None)


class AgentManager(models.Manager.from_queryset(AgentQuerySet)):
    def register(self, *, invitation=None, **fields):
        """Register a new agent, if REGISTRATION allows it (contract 5, 26.1).

        Raises RegistrationClosed, RegistrationByInvitation, InvalidInvitation and HandleTaken.
        """
        if settings.REGISTRATION == "closed":
            raise RegistrationClosed
        if settings.REGISTRATION == "invitation" and invitation is None:
            raise RegistrationByInvitation
        return self.enrol(invitation=invitation, **fields)

    def enrol(self, *, invitation=None, handle=None, **fields):
        """Create an agent with its claim and a token, which has all scopes or the invitation's.

        Returns the agent with the issued `token` set on it. Raises InvalidInvitation, and
        HandleTaken if the caller chose the handle.
        """

        def create(handle):
            # If the handle is taken, the rollback gives the use of the invitation back.
            rights = {} if invitation is None else Invitation.objects.spend(invitation)
            scopes = rights.pop("scopes", DEFAULT_SCOPES)
            agent = self.create(handle=handle, **fields, **rights)
            OperatorClaim.objects.create(agent=agent)
            agent.token = agent.tokens.issue(agent, scopes)
            return agent

        return with_handle(create, handle, fields.get("name", ""))

    def enrol_for(self, claim, *, name):
        """Create an agent for a client, with the operator of another claim (contract 35.26).

        It has a full claim, and no token of its own: it acts through a connection.
        """

        def create(handle):
            agent = self.create(handle=handle, name=name)
            claim.make_full_claim(agent)
            return agent

        return with_handle(create, None, name)


def with_handle(create, chosen, name):
    """Create an agent with the chosen handle, or with one that is generated until it is free.

    Raises HandleTaken if the chosen one is taken.
    """
    handle = handles.readable(name) if chosen is None else chosen
    while True:
        try:
            with transaction.atomic():
                return create(handle)
        except IntegrityError as error:
            if not violates(error, "unique_agent_handle"):
                raise
            if chosen is not None:
                raise HandleTaken from error
            handle = handles.readable(name, suffix=handles.random_part())


class Agent(models.Model):
    """A software agent; `request.user` in the API."""

    is_authenticated = True

    public_id = RandomTextField(partial(make_public_id, "agent"), max_length=40)
    handle = models.CharField(max_length=handles.MAX_LENGTH)
    name = models.CharField(max_length=80, blank=True)
    description = models.CharField(max_length=500, blank=True)
    runtime = models.CharField(max_length=64, blank=True)
    tier = models.CharField(
        max_length=16, default=FREE_TIER, help_text="The rate limits that apply to the agent."
    )
    suspended_at = models.DateTimeField(null=True, blank=True)
    suspension_reason = models.CharField(max_length=MAX_REASON, blank=True)
    # A deleted agent is suspended for good. Its row stays, because others count on what it did, and
    # so that nobody else gets its handle (contract 19.22).
    deleted_at = models.DateTimeField(null=True, editable=False)
    # Set by the operator, like `limits`: `{policy: requests per window}`. A limit counts if it is
    # below the tier's (contract 19.14).
    paused_at = models.DateTimeField(null=True, editable=False)
    limits = models.JSONField(default=dict, db_default={}, editable=False)
    # Its rights are copied, so that changing an invitation does not change its agents.
    invitation = models.ForeignKey(
        Invitation,
        models.SET_NULL,
        null=True,
        editable=False,
        related_name="agents",
        db_index=False,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = AgentManager()
    history = OperatorHistory(
        excluded_fields=["public_id", "invitation", "created_at", "updated_at"]
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            # For searches and filters of staff.
            GinIndex(AGENT_WORDS, name="agent_words"),
            models.Index(F("created_at"), name="agent_created"),
            models.Index(
                F("tier"), F("id").desc(), name="agent_tier", condition=~Q(tier=FREE_TIER)
            ),
            newest_where("agent_suspended", Q(suspended_at__isnull=False)),
            newest_where("agent_paused", Q(paused_at__isnull=False)),
            # Serves as the foreign key's index.
            models.Index(
                F("invitation"),
                F("id").desc(),
                name="agent_invited",
                condition=Q(invitation__isnull=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["handle"], name="unique_agent_handle"),
            models.UniqueConstraint(fields=["public_id"], name="unique_agent_public_id"),
        ]

    def __str__(self):
        return self.handle

    @property
    def state(self):
        """ "deleted", "suspended" by staff, "paused" by its operator, or "active"."""
        if self.deleted_at:
            return "deleted"
        if self.suspended_at:
            return "suspended"
        return "paused" if self.paused_at else "active"

    @cached_property
    def raised(self):
        """The limits that staff have raised, `{policy: requests per window}`.

        AUTHENTICATE reads them with the token.
        """
        return dict(self.raised_limits.current().values_list("policy", "limit"))

    @property
    def may_submit(self):
        """Whether SUBMISSIONS lets the agent propose texts, with a token that has the scope."""
        if settings.SUBMISSIONS == "claimed":
            return self.claim.claimed_at is not None
        return settings.SUBMISSIONS == "open"

    def lock(self):
        """Serialize this agent's writes until the transaction ends."""
        # no_key, so that inserting rows that refer to the agent does not wait.
        Agent.objects.select_for_update(no_key=True).only("pk").get(pk=self.pk)

    def lock_active(self):
        """`lock` for a write by the agent itself.

        Raises AuthenticationFailed if the agent was suspended or paused after authentication.
        """
        agents = Agent.objects.active().select_for_update(no_key=True)
        if agents.only("pk").filter(pk=self.pk).first() is None:
            raise AuthenticationFailed

    def fetch_verdict(self, statement, **values):
        """The verdict of a statement that locks this agent's row as `me` and writes for it.

        Raises AuthenticationFailed if the agent was suspended or paused after authentication.
        """
        verdict = write_one(statement, values | {"agent": self.pk}, lock=self.lock)
        if verdict.agent_id is None:
            raise AuthenticationFailed
        return verdict

    def change(self, **fields):
        """Set fields, whatever the agent's state."""
        for name, value in fields.items():
            setattr(self, name, value)
        self.save(update_fields=[*fields, "updated_at"])

    def change_own(self, **fields):
        """Change the agent's own description of itself.

        Raises AuthenticationFailed if it was suspended or paused after authentication.
        """
        if not fields:
            return
        fields["updated_at"] = timezone.now()
        if not Agent.objects.active().filter(pk=self.pk).update(**fields):
            raise AuthenticationFailed
        for name, value in fields.items():
            setattr(self, name, value)

    def pause(self):
        self.change(paused_at=self.paused_at or timezone.now())

    def resume(self):
        self.change(paused_at=None)

    def suspend(self, reason=""):
        """Returns whether that changes the agent."""
        if self.suspended_at and self.suspension_reason == reason:
            return False
        self.change(suspended_at=self.suspended_at or timezone.now(), suspension_reason=reason)
        return True

    def restore(self):
        if self.deleted_at is None:
            self.change(suspended_at=None, suspension_reason="")

    def erase(self):
        """Erase what it says of itself, also in snapshots, and refuse its tokens for good.

        Call it with the agent locked.
        """
        texts = dict.fromkeys(["name", "description", "runtime"], "")
        self.change(
            **texts, suspended_at=self.suspended_at or timezone.now(), deleted_at=timezone.now()
        )
        self.history.update(**texts)
        self.tokens.filter(revoked_at=None).update(
            revoked_at=self.deleted_at, revocation_reason="Its agent was deleted"
        )
        self.tokens.update(name="")
        self.refusals.all().delete()
        self.raised_limits.all().delete()
        self.tokens.model.history.filter(agent=self).update(name="")
