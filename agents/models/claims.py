from functools import partial
from hmac import compare_digest

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from agents.exceptions import AlreadyClaimed, ClaimCodeExpired, InvalidClaimCode
from agents.models.claim_codes import digest_of
from agents.models.operators import OperatorKey
from audit.models import AuditEvent
from catalogue.models import with_words, words_of
from marketplace.api.exceptions import InsufficientScope
from marketplace.api.scopes import DEFAULT_SCOPES, Scope, allows
from marketplace.models import RandomTextField, newest_where
from marketplace.secrets import random_text

OPERATOR_WORDS = words_of("operator_name")


class OperatorClaimQuerySet(models.QuerySet):
    def named(self, text):
        """Claims whose operator's name has, for each word of the text, one that starts with it."""
        return with_words(self.exclude(operator_email=""), OPERATOR_WORDS, text)

    def of_address(self, email):
        """Claims for which somebody entered this e-mail address, in any case."""
        lowered = self.exclude(operator_email="").annotate(email=Lower("operator_email"))
        return lowered.filter(email=email.lower())

    def pending(self):
        """The operator has a code that the agent has not confirmed."""
        return self.filter(~Q(code_digest=""), claimed_at=None)

    def claimed(self):
        # Indexed by their addresses.
        return self.filter(~Q(operator_email=""), claimed_at__isnull=False)


class OperatorClaim(models.Model):
    """The operator of an agent, once both sides have confirmed it (contract 7, 19).

    Until then, `operator_name` and `operator_email` come from the newest request for a code.
    """

    agent = models.OneToOneField("agents.Agent", models.CASCADE, related_name="claim")
    # Stored as text, unlike a token: the agent may request its claim URL again at any time.
    secret = RandomTextField(partial(random_text, 32), max_length=32)
    operator_name = models.CharField(max_length=80, blank=True)
    operator_email = models.EmailField(blank=True)
    # The digest of the confirmed code, or else of the newest one.
    code_digest = models.CharField(max_length=64, blank=True, editable=False)
    claimed_at = models.DateTimeField(null=True, editable=False)
    # claim_key serves as this key's index.
    key = models.ForeignKey(
        OperatorKey, models.SET_NULL, null=True, related_name="claims", db_index=False
    )
    # What the operator may do: as much as the token that confirmed the claim.
    scopes = ArrayField(
        models.CharField(max_length=16, choices=Scope), default=list, db_default=[], editable=False
    )

    objects = OperatorClaimQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["secret"], name="unique_claim_secret")]
        indexes = [
            # Most agents are never claimed; staff look for those with a claim or a pending one.
            models.Index(
                Lower("operator_email"), name="claim_email", condition=~Q(operator_email="")
            ),
            GinIndex(OPERATOR_WORDS, name="claim_words", condition=~Q(operator_email="")),
            newest_where("claim_pending", Q(claimed_at=None) & ~Q(code_digest="")),
            models.Index(F("key"), name="claim_key", condition=Q(key__isnull=False)),
        ]

    def __str__(self):
        return f"{self.agent}: {self.status}"

    @property
    def status(self):
        if self.claimed_at:
            return "claimed"
        return "pending" if self.code_digest else "unclaimed"

    @property
    def operator(self):
        """The confirmed operator's name, or None: until then anyone could have typed it."""
        return self.operator_name if self.claimed_at else None

    @property
    def verified_operator(self):
        """The operator's name if staff have verified it, or None.

        They verify the key with the names that it has then, and not those that it gets later.
        """
        verified_at = self.key and self.key.verified_at
        is_verified = verified_at and self.claimed_at and self.claimed_at <= verified_at
        return self.operator_name if is_verified else None

    def state_of(self, code):
        """Whether a code is "confirmed", is "valid" still, or has become "void"."""
        digest = digest_of(code, self.agent_id)
        if self.claimed_at and compare_digest(digest, self.code_digest):
            return "confirmed"
        return "valid" if self.codes.valid().filter(code_digest=digest).exists() else "void"

    @transaction.atomic
    def request_code(self, *, name, email, key):
        """Issue a code to a person with a name, an address and the text of a key.

        For a claimed agent nothing changes until it confirms the code. Raises DoesNotExist if the
        agent was released meanwhile and has another URL.
        """
        self.refresh_from_db(from_queryset=self.locked().filter(secret=self.secret))
        code = self.codes.issue(self, name=name, email=email, key=key)
        if not self.claimed_at:
            self._copy(code, "operator_name", "operator_email", "code_digest")
            self.save()
        AuditEvent.objects.record("request_code", self.agent, by=("operator", name))
        return code.text

    @property
    def is_full(self):
        """Whether the operator may do everything with the agent, not only view and release it."""
        return set(self.scopes).issuperset(DEFAULT_SCOPES)

    def confirm(self, code, token):
        """Confirm a code with one of the agent's tokens; a client may repeat a lost request.

        If the agent is claimed, the code is that of the new operator. A token must not gain rights
        through an operator. So the operator may do as much as the token, and a token with fewer
        rights than the current claim's cannot give the agent away. A claim lasts, so a token with
        an expiry counts as one that can only read.
        """
        error = self._confirm(code, token)
        # Raised outside the transaction, which has to keep the count of wrong codes.
        if error is not None:
            raise error

    @transaction.atomic
    def _confirm(self, code, token):
        token, _ = token.locked()
        scopes = token.scopes if token.expires_at is None else [Scope.READ]
        self.refresh_from_db(from_queryset=self.locked())
        digest = digest_of(code, self.agent_id)
        if self.claimed_at:
            if compare_digest(digest, self.code_digest):
                return None
            if not self.codes.exists():
                return AlreadyClaimed()
        # A run of CI chooses no operator: that one would stay when its token has ended.
        needed = DEFAULT_SCOPES if token.provenance else self.scopes
        if missing := [scope for scope in needed if not allows(scopes, scope)]:
            return InsufficientScope(missing[0])
        valid_code = self.codes.valid().filter(code_digest=digest).first()
        if valid_code is None:
            return self._refusal(digest)
        # Locked, because their last agents may be leaving now. In a fixed order, because another
        # agent may be changing them the other way round.
        keys = OperatorKey.objects.locked().order_by("pk").in_bulk([self.key_id, valid_code.key_id])
        valid_code.key = keys.get(valid_code.key_id)
        if valid_code.key and valid_code.key.revoked_at:
            return ClaimCodeExpired()
        self._take_over(valid_code, scopes)
        return None

    def _refusal(self, digest):
        """The error for an invalid code. A wrong code counts against every valid one."""
        if not self.code_digest:
            return InvalidClaimCode()
        is_wrong = not self.codes.filter(code_digest=digest).exists()
        if is_wrong and self.codes.valid().update(wrong_codes=F("wrong_codes") + 1):
            return InvalidClaimCode()
        return ClaimCodeExpired()

    def _take_over(self, valid_code, scopes):
        """Make the operator with this code the only one, and record the previous one for staff."""
        previous, before = self.key, self.operator
        self._copy(valid_code, "operator_name", "operator_email", "code_digest", "key")
        # What agents may submit follows from SUBMISSIONS, whichever token confirmed the claim.
        self.scopes = [scope for scope in DEFAULT_SCOPES if scope in scopes]
        self.claimed_at = timezone.now()
        self.save()
        if self.key and self.key.confirmed_at is None:
            self.key.confirmed_at = self.claimed_at
            self.key.save(update_fields=["confirmed_at"])
        self.codes.void()
        if previous and previous != self.key:
            previous.leave()
        self.agent.snapshot_before_change()
        reason = f"Claimed the agent{f' from {before}' if before else ''}, with the key {self.key}."
        self.agent.take_snapshot(operator=self.operator_name, reason=reason, is_event=True)
        by = ("agent", self.agent.handle)
        AuditEvent.objects.record("confirm_claim", self.agent, by=by, message=reason)

    def make_full_claim(self, agent):
        """The claim of a new agent, whose operator is that of this one."""
        return OperatorClaim.objects.create(
            agent=agent,
            operator_name=self.operator_name,
            operator_email=self.operator_email,
            key=self.key,
            scopes=list(DEFAULT_SCOPES),
            claimed_at=timezone.now(),
        )

    def _copy(self, code, *names):
        for name in names:
            setattr(self, name, getattr(code, name))

    @transaction.atomic
    def release(self):
        """Forget the operator and the operator's settings.

        The next operator gets a new URL, which the last one does not know.
        """
        self.agent.lock()
        self.refresh_from_db(from_queryset=self.locked())
        self._replace_secret()
        previous, self.key = self.key, None
        self.operator_name = self.operator_email = self.code_digest = ""
        self.claimed_at, self.scopes = None, []
        self.save()
        self.agent.change(paused_at=None, limits={})
        if previous:
            previous.leave()

    @transaction.atomic
    def renew_url(self):
        """Make a new claim URL, for example because others know the old one."""
        self.refresh_from_db(from_queryset=self.locked())
        self._replace_secret()
        self.save(update_fields=["secret"])

    def _replace_secret(self):
        """Close the old page, and void the codes requested there."""
        self.codes.void()
        self.secret = random_text(32)

    def locked(self):
        return OperatorClaim.objects.select_for_update(no_key=True)
